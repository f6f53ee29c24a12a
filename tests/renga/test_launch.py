"""`renga launch`: real ranks of small programs."""

import os
import signal
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
    outcome = shell.renga("launch", "-n", "3", "who.py", "-n", "7", "-p", "x", "--traceback")
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
    assert outcome.out.count("disabled") == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupting_ends_all_ranks(shell, number):
    shell.write(
        "waits.py",
        "import os, time\nfrom mpi4py import MPI\nopen(f'pid{os.getpid()}', 'w').close()\n"
        "MPI.COMM_WORLD.Barrier() if MPI.COMM_WORLD.rank else time.sleep(100)\n",
    )
    started_at = time.monotonic()
    outcome = shell.stop(
        number, lambda: sum(name.startswith("pid") for name in shell.files()) == 2, "launch", "-n", "2", "waits.py"
    )
    assert outcome.status != 0
    assert time.monotonic() - started_at < 40
    pids = [int(name.removeprefix("pid")) for name in shell.files() if name.startswith("pid")]
    deadline = time.monotonic() + 10
    while any(runs(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("-n", "0", "x.py"), "argument -n: at least 1 process is needed, not 0. See 'renga launch --help'."),
        (("-n", "two", "x.py"), "argument -n: invalid int value: 'two'. See 'renga launch --help'."),
        (("x.py",), "the following arguments are required: -n. See 'renga launch --help'."),
        (("-n", "2"), "no program to run. See 'renga launch --help'."),
        (("-n", "2", "x.py"), "there is no file 'x.py'"),
        (("-n", "2", "no-such-program"), "there is no program 'no-such-program'"),
        (("-n", "2", "./there"), "there is no program './there'; the file './there' is not executable"),
        (("-n", "2", "-m"), "-m: no module to run"),
        (
            ("-n", "2", "--threads", "0", "x"),
            "argument --threads: at least 1 is needed, not 0. See 'renga launch --help'.",
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
