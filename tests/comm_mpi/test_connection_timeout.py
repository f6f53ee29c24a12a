"""Ranks that do not get connected: stopped or stuck before MPI, in it, and before there is a communicator."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi import connection_timeout
from renga_comm_mpi.connection_timeout import Clock, why_late
from renga_comm_mpi.launching import find_mpiexec, launch_command, rank_environment
from renga_comm_mpi.processes import RankProcess, rank_processes, starter

RANK_1_DOES = {
    "is stopped before MPI": "os.kill(os.getpid(), signal.SIGSTOP)",
    "is stuck before MPI": "time.sleep(100)",
    "ends before MPI": "sys.exit(0)",
    "is stopped before its communicator": "connect(); os.kill(os.getpid(), signal.SIGSTOP)",
    "is stuck before its communicator": "connect(); time.sleep(100)",
    "ends before its communicator": "connect(); sys.exit(0)",
}
SAID = {
    "is stopped before MPI": ") is stopped: 'kill -CONT ",
    "is stuck before MPI": ") has not begun to start MPI\n",
    "ends before MPI": " has no process on this machine: ",
    "is stopped before its communicator": ") is stopped: 'kill -CONT ",
    "is stuck before its communicator": " has connected, and not come here: ",
    "ends before its communicator": " has connected, and not come here: ",
}
PROGRAM = """
import os, signal, sys, time
open(f"pid{os.getpid()}", "w").close()
from renga_comm_mpi import connection_timeout
connection_timeout.STARTING = PATIENCE

def connect():
    import renga_comm_mpi.mpi

if os.environ["OMPI_COMM_WORLD_RANK"] == "1":
    DOES
from renga.distributed import create_communicator
create_communicator("naive").barrier()
"""


def run(folder, program, size=3):
    (folder / "program.py").write_text(program)
    command = launch_command(find_mpiexec(), [sys.executable, "program.py"], size)
    environment = rank_environment(size, threads=1) | {"RENGA_DISTRIBUTED_TIMEOUT": "2"}
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE) as process:
        try:
            _, errors = process.communicate(timeout=50)
        finally:
            process.kill()
            left = [path.name for path in folder.glob("pid*") if os.path.exists(f"/proc/{path.name[3:]}/exe")]
            for name in left:
                os.kill(int(name[3:]), signal.SIGKILL)
    assert not left
    return process.returncode, errors.decode(errors="replace")


@pytest.mark.parametrize("case", list(RANK_1_DOES))
def test_the_others_are_ended_and_say_who_is_late(case, tmp_path):
    # Only who never connects is waited for so long; on a busy machine connecting takes more than a few seconds.
    patience = "6.0" if "before MPI" in case else "60.0"
    status, errors = run(tmp_path, PROGRAM.replace("DOES", RANK_1_DOES[case]).replace("PATIENCE", patience))
    assert status != 0
    # Two ranks may find out at the same moment.
    assert errors.count("That is longer than distributed.timeout, 2 s: all ranks are ended.\n") in (1, 2)
    lines = [line for line in errors.splitlines(keepends=True) if line.startswith("  late: rank 1")]
    assert lines, errors
    assert all(SAID[case] in line for line in lines), errors


def test_a_program_that_stops_everywhere_is_ended_too(tmp_path):
    """The guard goes on counting while its rank is stopped."""
    program = (
        "import os, signal\n"
        "from renga_comm_mpi.connection_timeout import guarded\n"
        "with guarded(1.0, int(os.environ['OMPI_COMM_WORLD_RANK']), 2): os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    status, errors = run(tmp_path, program, 2)
    assert status == 128 + signal.SIGKILL
    assert "  late: rank 0 (process" in errors
    assert "  late: rank 1 (process" in errors


def test_a_guard_ends_with_what_it_guards():
    with connection_timeout.guarded(60.0, 0, 2):
        pass
    with pytest.raises(KeyError), connection_timeout.guarded(60.0, 0, 2):
        raise KeyError
    assert subprocess.run(["pgrep", "-P", str(os.getpid()), "-f", "connection_timeout.py"]).returncode == 1


def test_a_guard_ends_when_its_rank_is_killed():
    program = (
        "import os, sys\nfrom renga_comm_mpi.connection_timeout import guarded\nwith guarded(60.0, 0, 2): os.abort()\n"
    )
    process = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, timeout=30)
    # Its end of the pipe is closed when the guard has ended as well: otherwise this would take a minute.
    assert process.returncode == -signal.SIGABRT
    assert process.stderr == b""


def test_nothing_is_started_where_there_is_nobody_to_wait_for(monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    with connection_timeout.guarded(0.0, 0, 2), connection_timeout.guarded(5.0, 0, 1):
        pass


def test_time_in_which_the_process_is_stopped_does_not_count(monkeypatch):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    clock = Clock()
    now = 100.5
    assert clock() == 0.5
    now = 700.0
    assert clock() == 0.5 + Clock.LONGEST


def process(rank, state="S", has_mpi=True, guards=False):
    return RankProcess(rank, 100 + rank, state, has_mpi, guards)


def test_who_is_late():
    there = [
        process(0),
        process(0, guards=True, has_mpi=False),
        process(1, state="T"),
        process(2, has_mpi=False),
        process(3),
    ]
    assert why_late(there, 0) is None
    assert "rank 1 (process 101) is stopped" in why_late(there, 1)
    assert "rank 2 (process 102) has not begun" in why_late(there, 2)
    assert "rank 3 (process 103) has loaded MPI" in why_late(there, 3)
    assert "rank 4 has no process" in why_late(there, 4)


def test_ranks_are_found_below_who_started_them():
    environment = os.environ | {"OMPI_COMM_WORLD_RANK": "3333"}
    inner = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen([sys.executable, "-c", inner], env=environment, stdin=subprocess.PIPE) as rank:
        deadline = time.monotonic() + 60
        found = []
        # A process that has just been forked is not yet the program that it will be.
        while len(found) < 2 or {starter(one.pid) for one in found} != {os.getpid()}:
            assert time.monotonic() < deadline, found
            found = [one for one in rank_processes(os.getpid()) if one.rank == 3333]
        assert rank.pid in [one.pid for one in found]
        rank.communicate(b"\n")
    assert [one for one in rank_processes(os.getpid()) if one.rank == 3333] == []
