"""`renga launch`: real ranks of small programs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")

WHO = """
import os, sys
from mpi4py import MPI
rows = MPI.COMM_WORLD.gather((MPI.COMM_WORLD.rank, os.environ["OMP_NUM_THREADS"], os.getcwd()))
if rows:
    print(MPI.COMM_WORLD.size, [row[:2] for row in rows], len({row[2] for row in rows}), sys.argv[1:], flush=True)
"""


def test_ranks_of_a_file_with_its_own_arguments(shell):
    shell.write("who.py", WHO)
    outcome = shell.renga("launch", "-n", "3", "--", "who.py", "-n", "7", "-p", "x", "--traceback")
    assert outcome.status == 0, outcome.err
    assert outcome.out == "3 [(0, '1'), (1, '1'), (2, '1')] 1 ['-n', '7', '-p', 'x', '--traceback']\n"


def test_modules_threads_and_tags(shell):
    shell.write("who.py", WHO)
    outcome = shell.renga("launch", "-n", "2", "--threads", "5", "--tag", "-m", "who", "--help")
    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith("[")
    assert outcome.out.endswith("2 [(0, '5'), (1, '5')] 1 ['--help']\n")


def test_cores_are_shared_out_unless_threads_are_set(shell):
    shell.write("who.py", WHO)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        shell.environment.pop(name, None)
    outcome = shell.renga("launch", "-n", "1", "python", "-B", "who.py")
    assert outcome.out == f"1 [(0, '{len(os.sched_getaffinity(0))}')] 1 []\n"


def test_the_status_is_the_programs_and_renga_is_a_program(shell):
    shell.write("ends.py", "import sys\nfrom mpi4py import MPI\nsys.exit(7)\n")
    assert shell.renga("launch", "-n", "2", "ends.py").status == 7
    outcome = shell.renga("-p", "no:distributed", "launch", "-n", "2", "renga", "plugins", "list")
    assert outcome.status == 0
    assert outcome.out.count("1 in all, 1 disabled") == 2


# --- asked to stop ----------------------------------------------------------------------------------------------------

WAITS = """
import os, time
from mpi4py import MPI
open(f"pid{os.getpid()}", "w").close()
MPI.COMM_WORLD.Barrier() if MPI.COMM_WORLD.rank else time.sleep(100)
"""
STOPS = """
import os, signal, sys, time
from renga.distributed import create_communicator
comm = create_communicator("naive")
try:
    open(f"pid{os.getpid()}", "w").close()  # inside: whoever sees the file may send the signal at once
    while True:
        time.sleep(0.01)
except KeyboardInterrupt:
    time.sleep(1)  # longer than mpiexec gives them at Ctrl-C
    open(f"saved{comm.rank}", "w").close()
    comm.barrier()
    sys.exit(5)
"""
GOES_ON = """
import os, signal, time
from mpi4py import MPI
signal.signal(signal.SIGUSR1, lambda number, frame: open(f"asked{os.getpid()}", "w").close())
open(f"pid{os.getpid()}", "w").close()
for _ in range(10_000):
    time.sleep(0.01)
"""


def there(shell, kind, count=2):
    """Whether as many ranks have got so far."""
    return lambda: sum(name.startswith(kind) for name in shell.files()) == count


def await_(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ranks_of(shell):
    return [int(name.removeprefix("pid")) for name in shell.files() if name.startswith("pid")]


def state(pid):
    """A letter: S sleeps, T is stopped, Z has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "Z"


def none_is_left(shell):
    return all(state(pid) == "Z" for pid in ranks_of(shell))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_programs_that_know_nothing_of_it_are_ended(shell, number):
    shell.write("waits.py", WAITS)
    outcome = shell.stop(number, there(shell, "pid"), "launch", "-n", "2", "waits.py")
    assert outcome.status == 128 + number
    await_(lambda: none_is_left(shell))


@pytest.mark.parametrize("size", ["2", "1"])
def test_ranks_stop_in_peace(shell, size):
    shell.write("stops.py", STOPS)
    outcome = shell.stop(signal.SIGINT, there(shell, "pid", int(size)), "launch", "-n", size, "stops.py")
    assert there(shell, "saved", int(size))(), outcome.err
    assert outcome.status == 5, "the status is the program's"
    assert outcome.err.startswith("\nrenga: all ranks are asked to stop; once more kills them\n")
    assert "Traceback" not in outcome.err
    assert none_is_left(shell)


IN_A_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
ASKS = STOPS.replace(
    "try:",
    # All are inside of `try` when rank 0 has said so: only then Ctrl-C comes.
    "name = input() if comm.rank == 0 else ''\ntry:\n    comm.barrier()\n"
    "    if comm.rank == 0: print('hello', name, flush=True)",
)


def test_in_a_terminal_rank_0_reads_and_ctrl_c_is_for_the_ranks(shell):
    shell.write("asks.py", ASKS)
    with subprocess.Popen(
        [sys.executable, "-c", IN_A_TERMINAL, sys.executable, "-m", "renga", "launch", "-n", "2", "asks.py"],
        cwd=shell.folder,
        env=shell.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        process.stdin.write(b"Ada\n")
        process.stdin.flush()
        said = b""
        while b"hello Ada" not in said:
            said += process.stdout.read1()
        process.stdin.write(b"\x03")
        process.stdin.flush()
        said += process.stdout.read()
    assert process.returncode == 5, said
    assert there(shell, "saved")()
    assert none_is_left(shell)


def test_asked_twice_ranks_are_killed(shell):
    shell.write("goes_on.py", GOES_ON)
    process = shell.start("launch", "-n", "2", "goes_on.py")
    await_(there(shell, "pid"))
    process.send_signal(signal.SIGINT)
    await_(there(shell, "asked"))
    time.sleep(0.5)
    assert process.poll() is None, "once is not enough"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    await_(lambda: none_is_left(shell))


def test_nothing_is_left_where_the_command_is_killed(shell):
    shell.write("goes_on.py", GOES_ON)
    process = shell.start("launch", "-n", "2", "goes_on.py")
    await_(there(shell, "pid"))
    process.kill()
    process.communicate(timeout=20)
    await_(lambda: none_is_left(shell))


def test_ranks_are_stopped_and_go_on_with_the_command(shell):
    shell.write("goes_on.py", GOES_ON)
    process = shell.start("launch", "-n", "2", "goes_on.py")
    await_(there(shell, "pid"))
    process.send_signal(signal.SIGTSTP)
    await_(lambda: {state(pid) for pid in [process.pid, *ranks_of(shell)]} == {"T"})
    process.send_signal(signal.SIGCONT)
    await_(lambda: "T" not in {state(pid) for pid in [process.pid, *ranks_of(shell)]})
    process.send_signal(signal.SIGTERM)
    await_(there(shell, "asked"))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 143


# --- what cannot be started -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("-n", "0", "x.py"), "argument -n: at least 1 process is needed, got 0. See 'renga launch --help'."),
        (("-n", "two", "x.py"), "argument -n: expected an integer, got 'two'. See 'renga launch --help'."),
        (("x.py",), "the following arguments are required: -n. See 'renga launch --help'."),
        (("-n", "2"), "no program to run. See 'renga launch --help'."),
        (("-n", "2", "x.py"), "there is no file 'x.py'"),
        (("-n", "2", "no-such-program"), "there is no program 'no-such-program'"),
        (("-n", "2", "./there"), "there is no program './there'; the file './there' is not executable"),
        (("-n", "2", "-m"), "-m: no module to run"),
        (
            ("-n", "2", "--threads", "0", "x"),
            "argument --threads: at least 1 is needed, got 0. See 'renga launch --help'.",
        ),
    ],
)
def test_what_cannot_be_started_is_refused_before(shell, argv, message):
    shell.write("there", "")
    outcome = shell.renga("launch", *argv)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"renga: error: {message}\n")


def test_without_mpi4py_it_says_what_to_install(shell):
    shell.write("who.py", WHO)
    (shell.site / "sitecustomize.py").write_text("import sys\nsys.modules['mpi4py'] = None\n")
    outcome = shell.renga("launch", "-n", "2", "who.py")
    assert outcome.status == 1
    assert outcome.err == (
        "renga: error: starting ranks needs the module 'mpi4py', which is not installed.\n"
        "Next: pip install 'renga[mpi]', which brings an MPI library, too\n"
    )


def test_the_mpiexec_beside_this_python_is_taken(shell, tmp_path):
    fake = tmp_path / "mpiexec"
    fake.write_text("#!/bin/sh\necho a stranger\n")
    fake.chmod(0o755)
    from renga_comm_mpi.launching import find_mpiexec

    mine = find_mpiexec()
    if Path(mine.path).parent != Path(sys.executable).parent:
        pytest.skip("this Python has no mpiexec of its own")
    shell.write("who.py", WHO)
    outcome = shell.renga(
        "launch", "-n", "1", "who.py", environment={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    )
    assert outcome.out.startswith("1 [(0,")


# --- that does not go on ----------------------------------------------------------------------------------------------

STUCK = """
import os, signal, sys, time
open(f"pid{os.getpid()}", "w").close()
rank, case = os.environ["OMPI_COMM_WORLD_RANK"], sys.argv[1]
if rank == "1":
    if case == "before": os.kill(os.getpid(), signal.SIGSTOP)
    if case == "sleeping": time.sleep(100)
    if case == "mpiexec": os.kill(os.getppid(), signal.SIGSTOP)
from mpi4py import MPI  # without a word of Renga's
if rank == "1" and case == "after": os.kill(os.getpid(), signal.SIGSTOP)
MPI.COMM_WORLD.Barrier()
if case == "mpiexec": time.sleep(100)
"""


@pytest.mark.parametrize(
    ("case", "late"),
    [
        ("before", ") is stopped: "),
        ("sleeping", "rank 1 has not begun to start MPI, and others have"),
        ("after", ") is stopped: "),
        ("mpiexec", ") is stopped"),
    ],
)
def test_a_job_that_does_not_go_on_is_ended(shell, case, late):
    shell.write("stuck.py", STUCK)
    shell.environment["RENGA_DISTRIBUTED_TIMEOUT"] = "2"
    outcome = shell.renga("launch", "-n", "3", "stuck.py", case)
    assert outcome.status == 1
    assert "renga: the job does not go on.\n" in outcome.err
    assert any(line.startswith("  late: ") and late in line for line in outcome.err.splitlines())
    assert "distributed.timeout, 2 s: all ranks are ended.\n" in outcome.err
    for path in Path(shell.folder).glob("pid*"):
        assert not Path(f"/proc/{path.name[3:]}/exe").exists()


# --- ranks that may die -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--spares", "1"], "argument --spares: needs --fault-tolerant."),
        (["--wait"], "argument --wait: needs --fault-tolerant."),
        (["--fault-tolerant", "--spares", "-1"], "argument --spares: expected 0 or more, got -1."),
        (["--fault-tolerant", "--respawn", "-1"], "argument --respawn: expected 0 or more, got -1."),
        (["--fault-tolerant", "--min", "3"], "argument --min: expected 1 to 2 (-n), got 3."),
        (["--max", "3"], "argument --max: needs --fault-tolerant."),
        (
            ["--communicator", "tcp", "--spares", "1"],
            "argument --spares: needs --fault-tolerant, because the job ends with communicator 'tcp' when a rank dies.",
        ),
        (["--fault-tolerant", "--max", "1"], "argument --max: 2 (-n) or more, not 1."),
        (
            ["--fault-tolerant", "--max", "3", "--wait"],
            "argument --wait: cannot be used with --max.",
        ),
    ],
)
def test_options_that_do_not_fit_together(shell, options, told):
    shell.write("who.py", WHO)
    outcome = shell.renga("launch", "-n", "2", *options, "who.py")
    assert outcome.status == 2
    assert f"{told} See 'renga launch --help'." in outcome.err


def test_spares_are_processes_beside_the_ranks(shell):
    shell.write("who.py", WHO)
    outcome = shell.renga("launch", "-n", "2", "--threads", "1", "--fault-tolerant", "--spares", "1", "who.py")
    assert outcome.status == 0, outcome.err
    assert outcome.out == "3 [(0, '1'), (1, '1'), (2, '1')] 1 []\n"


def test_a_run_that_is_refused_on_every_rank_fails_where_some_may_die(shell):
    pytest.importorskip("mpi4py")
    shell.write("taken", "")
    argv = ("renga", "train", "--communicator", "resilient", "--out", "taken")
    outcome = shell.renga("launch", "-n", "2", "--fault-tolerant", *argv)
    assert outcome.status == 1, outcome.err
    assert "cannot be a folder: taken is a file" in outcome.err
