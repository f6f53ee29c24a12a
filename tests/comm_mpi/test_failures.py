"""Ranks that fail: real ones, in programs of their own. All end within seconds, and say why."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi.launching import find_mpiexec, launch_command, rank_environment
from renga_core.communicator import MismatchError

BEGIN = """
import os, signal, sys, threading, time
import numpy as np
from renga.distributed import create_communicator

comm = create_communicator("naive")
open(f"pid{os.getpid()}", "w").close()
comm.allreduce(np.ones(3))

def step():
    comm.allreduce(np.ones(3))

def compute():
    time.sleep(60)

"""


class Outcome:
    def __init__(self, folder, program, size, **environment):
        (folder / "program.py").write_text(program)
        command = launch_command(find_mpiexec(), [sys.executable, "program.py"], size)
        started_at = time.monotonic()
        with subprocess.Popen(
            command,
            cwd=folder,
            env=rank_environment(size, threads=1) | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                out, err = process.communicate(timeout=50)
            finally:
                pids = [int(path.name.removeprefix("pid")) for path in folder.glob("pid*")]
                if process.poll() is None:
                    process.kill()
                    for pid in filter(runs, pids):
                        os.kill(pid, signal.SIGKILL)
        # Open MPI's own messages may hold anything.
        self.out, self.err = out.decode(errors="replace"), err.decode(errors="replace")
        self.status = process.returncode
        assert len(pids) == size, self.err
        while any(runs(pid) for pid in pids):
            assert time.monotonic() - started_at < 50
            time.sleep(0.02)


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def ranks(tmp_path):
    return lambda program, size=2, **environment: Outcome(tmp_path, BEGIN + program, size, **environment)


def test_a_killed_rank_ends_all(ranks):
    outcome = ranks("if comm.rank == 1: os.kill(os.getpid(), signal.SIGKILL)\nstep()\n", 3)
    assert outcome.status == 128 + signal.SIGKILL
    assert "rank 1" in outcome.err
    assert "Killed" in outcome.err


def test_an_exception_on_a_rank_ends_all_with_its_traceback(ranks):
    outcome = ranks("if comm.rank == 1: raise KeyError('no such luck')\nstep()\n", 3)
    assert outcome.status == 1
    host = os.uname().nodename
    assert f"renga: nobody caught an exception on rank 1 of 3 ({host}, process " in outcome.err
    assert "program.py" in outcome.err
    assert "KeyError: 'no such luck'\n" in outcome.err
    assert outcome.err.count("Traceback") == 1, "others were interrupted, and have nothing to say"


def test_ranks_that_call_differently_all_get_the_error(rank_pool):
    for error in rank_pool(3).run(call_differently, timeout=30):
        assert isinstance(error, ValueError)
        assert isinstance(error, MismatchError)
        assert "rank 2" in str(error)
        assert "(4,)" in str(error)
    assert rank_pool(3).run(call_alike) == [6.0, 6.0, 6.0]


def call_differently():
    from renga.distributed import create_communicator

    comm = create_communicator("naive")
    comm.allreduce(np.ones(4 if comm.rank == 2 else 3))


def call_alike():
    from renga.distributed import create_communicator

    comm = create_communicator("naive")
    return float(comm.allreduce(np.full(1, comm.rank + 1.0))[0])


def test_a_mismatch_that_nobody_catches_ends_all(ranks):
    outcome = ranks("comm.allreduce(np.ones(3 + comm.rank))\n")
    assert outcome.status == 1
    assert outcome.err.count("MismatchError: ranks call allreduce differently (this is rank 0)") == 1
    assert outcome.err.count("nobody caught an exception") == 1  # though all ranks have it


DOING = {
    "compute()": "has computed for ",
    "os.kill(os.getpid(), signal.SIGSTOP)": "does not answer: it was stopped, ",
    "comm.recv(0, 7)": "waits in recv for rank 0 of ",
}


@pytest.mark.parametrize("doing", DOING)
def test_the_watchdog_names_a_rank_that_never_comes(ranks, doing):
    outcome = ranks(f"if comm.rank == 1: {doing}\nstep()\n", 3, RENGA_DISTRIBUTED_TIMEOUT="2")
    assert outcome.status == 1
    lines = [
        line for line in outcome.err.splitlines() if line.startswith(("renga:", "  late:", "  waiting", "That is"))
    ]
    assert lines[0].startswith("renga: rank 0 of 3 (")
    assert " waits in allreduce, collective 2 of the communicator 'naive' for 2." in lines[0]
    assert lines[0].endswith("at program.py:11 in step.")
    assert lines[1].startswith("  late: rank 1 (")
    assert DOING[doing] in lines[1]
    if doing == "compute()":
        assert "at program.py:14 in compute; its last was allreduce, collective 1 of" in lines[1]
    assert lines[2] == "  waiting, too: rank 2"
    assert lines[3:] == ["That is longer than distributed.timeout, 2 s: all ranks are ended."]


def test_the_watchdog_leaves_ranks_alone_that_are_in_time(ranks):
    program = "for _ in range(3):\n    time.sleep(0.7 * comm.rank)\n    step()\ncomm.split(comm.rank, 0).barrier()\n"
    # What a debugger or pytest has shown is not what nobody caught.
    outcome = ranks(program + "sys.last_value = ValueError()\nprint('done')\n", 2, RENGA_DISTRIBUTED_TIMEOUT="3")
    assert (outcome.status, outcome.out, outcome.err) == (0, "done\ndone\n", "")


def test_a_rank_that_never_makes_the_communicator_is_no_hang_either(tmp_path):
    (tmp_path / "program.py").write_text(
        "import time\nfrom mpi4py import MPI\nfrom renga.distributed import create_communicator\n"
        "if MPI.COMM_WORLD.rank == 1: time.sleep(60)\ncreate_communicator('naive')\n"
    )
    command = launch_command(find_mpiexec(), [sys.executable, tmp_path / "program.py"], 2)
    environment = rank_environment(2) | {"RENGA_DISTRIBUTED_TIMEOUT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, timeout=50)
    assert done.returncode == 1
    # Which of the two waits takes longer than a second depends on how fast the ranks have started.
    waits = rb"has waited 1 s for all 2 ranks to make the communicator 'naive', at |waits in create_communicator, "
    assert re.search(waits, done.stderr)


def test_exiting_with_a_status_ends_those_that_go_on(ranks):
    outcome = ranks("if comm.rank == 1: sys.exit(3)\nstep()\n")
    assert outcome.status == 3
    assert "renga: rank 1 of 2 (" in outcome.err
    assert "has ended with status 3, the others go on. All ranks are ended for it.\n" in outcome.err


@pytest.mark.parametrize("ends", ["raise SystemExit(1)", "raise SystemExit"])
def test_ranks_are_told_of_one_that_has_ended(ranks, ends):
    outcome = ranks(f"if comm.rank == 1: {ends}\nstep()\n", 3)
    assert outcome.status == 1
    assert "  rank 0, 2: allreduce ((3,), 'float64')\n  rank 1: the end of its program\n" in outcome.err


def test_who_catches_that_is_told_again_in_every_communicator(ranks):
    outcome = ranks(
        "part, other, gone = comm.split(0, comm.rank), create_communicator('flat'), create_communicator('flat')\n"
        "gone.finalize()\n"
        "if comm.rank == 1: raise SystemExit\n"
        "for call in [step, comm.barrier, part.barrier, lambda: other.bcast_obj(1)]:\n"
        "    try: call()\n"
        "    except ValueError as error: print(str(error).splitlines()[-1])\n",
        2,
    )
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == 4 * "  rank 1: the end of its program\n"


MESSAGES = {
    "comm.recv(1, 5)": "send what this rank waits for",
    "comm.recv_obj(1, 5)": "send what this rank waits for",
    "functions.recv(comm, 1, tag=5)": "send what this rank waits for",
    "comm.duplicate().recv(1, 5)": "send what this rank waits for",
    "comm.send(np.ones(1_000_000), 1, 5)": "take what this rank sends",
    "comm.send_obj(bytes(8_000_000), 1, 5)": "take what this rank sends",
    "functions.send(np.ones(1_000_000), comm, 1, tag=5)": "take what this rank sends",
}


@pytest.mark.parametrize("call", MESSAGES)
def test_a_message_from_or_to_a_rank_that_has_ended_is_an_error(ranks, call):
    program = f"from renga.distributed import functions\nif comm.rank != 1: {call}\n"
    if "duplicate" in call:  # which all ranks make
        program = f"duplicate = comm.duplicate()\n{program.replace('comm.duplicate()', 'duplicate')}"
    outcome = ranks(program, 3)
    assert outcome.status == 1
    told = rf"RankFailed: rank 1 has ended its program, and will not {MESSAGES[call]} \(tag 5; this is rank [02]\)"
    assert re.search(told, outcome.err), outcome.err


def test_what_a_rank_has_sent_before_its_end_arrives(ranks):
    outcome = ranks(
        "def sends():\n"
        "    for i in range(3): comm.send_obj(i, 0, tag=9 - i)\n"
        "    comm.recv_obj(0)\n"  # so rank 0 knows of the end before it looks for the rest
        "    comm.send(np.ones(10), 0, 3)\n"
        "if comm.rank == 1: sends()\n"
        "else:\n"
        "    print(comm.recv_obj(1, tag=8))\n"
        "    comm.send_obj(None, 1)\n"
        "    for _ in range(2):\n"
        "        try: comm.recv(1, 4)\n"
        "        except Exception as error: print(type(error).__name__)\n"
        "    print(comm.recv_obj(1, tag=9), comm.recv_obj(1, tag=7), comm.recv(1, 3).sum())\n"
    )
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == "1\nRankFailed\nRankFailed\n0 2 10.0\n"


def test_who_sends_what_nobody_takes_may_go_on_and_end(ranks):
    outcome = ranks(
        "if comm.rank == 0:\n"
        "    for _ in range(2):\n"
        "        try: comm.send(np.ones(1_000_000), 1, 0)\n"
        "        except Exception as error: print(type(error).__name__)\n"
    )
    assert (outcome.status, outcome.out, outcome.err) == (0, "RankFailed\nRankFailed\n", "")


def test_threads_of_a_rank_may_wait_for_one_that_ends(ranks):
    outcome = ranks(
        "def wait(tag):\n"
        "    try: comm.recv(1, tag)\n"
        "    except Exception as error: found.append(type(error).__name__)\n"
        "found = []\n"
        "if comm.rank == 0:\n"
        "    threads = [threading.Thread(target=wait, args=(tag,)) for tag in range(3)]\n"
        "    for thread in threads: thread.start()\n"
        "    for thread in threads: thread.join()\n"
        "    print(found)\n"
        "else: comm.send(np.ones(3), 0, 1)\n"
    )
    assert (outcome.status, outcome.out, outcome.err) == (0, "['RankFailed', 'RankFailed']\n", "")


def test_one_rank_may_go_on_alone(ranks):
    outcome = ranks("if comm.rank == 0:\n    time.sleep(4)\n    print('saved')\n", 3)
    assert (outcome.status, outcome.out, outcome.err) == (0, "saved\n", "")


def test_communicators_that_not_all_have_finalized_keep_nobody(ranks):
    outcome = ranks("other = create_communicator('flat')\nif comm.rank == 0: other.finalize()\n", 2)
    assert (outcome.status, outcome.err) == (0, "")


def test_exiting_together_is_an_end_like_any_other(ranks):
    outcome = ranks("time.sleep(comm.rank)\nsys.exit(4)\n")
    assert outcome.status == 4
    assert "renga:" not in outcome.err
    assert "ABORT" not in outcome.err


def test_an_exception_in_a_thread_ends_all(ranks):
    outcome = ranks(
        "def load(): raise OSError('disk gone')\n"
        "if comm.rank == 1:\n"
        "    threading.Thread(target=load, name='loader').start()\n"
        "    compute()\n"
        "step()\n"
    )
    assert outcome.status == 1
    assert " in thread loader. All ranks are ended for it:\n" in outcome.err
    assert "OSError: disk gone\n" in outcome.err


HOOK = "import sys\ndef mine(kind, error, where): print('seen by mine:', error, flush=True)\nsys.excepthook = mine\n"
RAISE = "if comm.rank == 1: raise ValueError('boom')\nstep()\n"


@pytest.mark.parametrize("program", [HOOK + BEGIN + RAISE, BEGIN + HOOK + RAISE], ids=["before", "after"])
def test_a_hook_of_the_program_is_called_first(tmp_path, program):
    outcome = Outcome(tmp_path, program, 2)
    assert outcome.status == 1
    assert outcome.out == "seen by mine: boom\n"
    assert "ValueError: boom\n" in outcome.err
    assert "on rank 1 of 2" in outcome.err


def test_interrupted_ranks_end_with_130(ranks):
    outcome = ranks("if comm.rank == 1: os.kill(os.getpid(), signal.SIGINT)\nstep()\n")
    assert outcome.status == 130
    assert "KeyboardInterrupt\n" in outcome.err


ALONE = "import os, sys, threading\nfrom renga_comm_mpi import failures\nhook = sys.excepthook\nfailures.install()\n"


@pytest.mark.parametrize("name", ["CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS", "CHAINERMN_FORCE_ABORT_ON_EXCEPTION"])
def test_a_single_process_is_left_alone_unless_told_otherwise(tmp_path, name):
    program = tmp_path / "alone.py"
    program.write_text(ALONE + "print(sys.excepthook is hook)\nraise ValueError('boom')\n")
    plain = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert (plain.returncode, plain.stdout) == (1, "True\n")
    assert plain.stderr.startswith("Traceback")
    forced = subprocess.run(
        [sys.executable, program], env=os.environ | {name: "1"}, capture_output=True, text=True, timeout=60
    )
    assert (forced.returncode, forced.stdout) == (1, "False\n")
    assert "nobody caught an exception on rank 0 of 1" in forced.stderr


def test_a_process_that_a_rank_forks_is_no_rank(ranks):
    outcome = ranks(
        "if comm.rank == 0 and not os.fork():\n"
        "    sys.excepthook(ValueError, ValueError('a child of a rank'), None)\n"
        "    os._exit(9)\n"
        "if comm.rank == 0: print('child:', os.waitstatus_to_exitcode(os.wait()[1]), flush=True)\n"
        "step()\n"
    )
    assert (outcome.status, outcome.out) == (0, "child: 9\n")
    assert outcome.err == "ValueError: a child of a rank\n"


def test_without_threads_in_mpi_the_watchdog_names_the_collective_alone(tmp_path):
    program = "import mpi4py\nmpi4py.rc.thread_level = 'funneled'\n" + BEGIN + "if comm.rank == 1: compute()\nstep()\n"
    outcome = Outcome(tmp_path, program, 2, RENGA_DISTRIBUTED_TIMEOUT="1")
    assert outcome.status != 0
    assert outcome.err.count("The watchdog can name the collective that waits too long, but not the ranks") == 1
    assert "renga: rank 0 of 2 (" in outcome.err
    assert " waits in allreduce, collective 2 of the communicator 'naive' for 1." in outcome.err
    assert "  late:" not in outcome.err


def test_a_rank_that_has_long_ended_says_that_it_waits(ranks):
    outcome = ranks(
        "from renga_comm_mpi import failures\nfailures.PATIENCE = 0.5\nif comm.rank == 0: time.sleep(2)\nstep()\n"
        "if comm.rank == 0: time.sleep(2)\n"
    )
    assert outcome.status == 0
    assert outcome.err.count(" has ended its program 1 s ago; others have not.\n") == 1
    assert "rank 1 of 2" in outcome.err


MAKES = """
from renga_core.communicator import MismatchError
other = create_communicator("flat")
row = comm.split(comm.rank // 2, comm.rank)
try:
    if comm.rank == 1: create_communicator("flat")
    else: WAITS
except MismatchError as error:
    print(comm.rank, str(error).count("create_communicator {'name': 'flat', "), flush=True)
"""


@pytest.mark.parametrize("waits", ["comm.barrier()", "other.allreduce(np.ones(3))", "row.bcast_obj(0)", "pass"])
def test_a_communicator_made_by_one_rank_alone_is_an_error_on_all(ranks, waits):
    outcome = ranks(MAKES.replace("WAITS", waits))
    assert {"1 1"} <= set(outcome.out.splitlines()), outcome.err
    assert waits == "pass" or {"0 1"} <= set(outcome.out.splitlines())


def test_different_communicators_are_an_error_on_all(rank_pool):
    for error in rank_pool(2).run(make_different_ones, timeout=30):
        assert isinstance(error, MismatchError)
        assert "create_communicator {'name': 'flat'" in str(error)
    assert rank_pool(2).run(call_alike) == [3.0, 3.0]


def make_different_ones():
    from mpi4py import MPI

    from renga.distributed import create_communicator

    create_communicator("flat" if MPI.COMM_WORLD.rank == 1 else "naive")
