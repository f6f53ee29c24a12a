"""Programs that end in other ways than at the end of their work, or know nothing of communicator `resilient`."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi.launching import LaunchError, find_mpiexec
from renga_comm_mpi.resilient.launching import check

try:
    check(find_mpiexec())
except LaunchError as error:
    pytest.skip(str(error), allow_module_level=True)

MADE = """
import sys
from sys import exit as leave
from renga.distributed import create_communicator
comm = create_communicator("resilient")
comm.barrier() if not comm.is_spare else comm.join()
"""


@pytest.fixture
def launch(tmp_path):
    def run(program, *options):
        (tmp_path / "program.py").write_text(program)
        command = ["launch", "-n", "2", "--fault-tolerant", *options, str(tmp_path / "program.py")]
        return subprocess.run(
            [sys.executable, "-m", "renga", *command],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


@pytest.mark.parametrize("end", ["sys.exit(3)", "leave(3)", "raise SystemExit(3)", "comm.finalize(); leave(3)"])
def test_a_status_that_all_ranks_have_is_that_of_the_job(launch, end):
    assert launch(f"{MADE}{end}\n").returncode == 3


def test_one_rank_with_a_status_does_not_count(launch):
    assert launch(f"{MADE}sys.exit(3 * comm.rank)\n").returncode == 0


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("pass", 0),
        ("raise SystemExit(4)", 4),
        ("from renga_comm_mpi.mpi import MPI", 0),
        ("from renga_comm_mpi.mpi import MPI\nraise SystemExit(4)", 4),
    ],
)
def test_processes_that_wait_end_with_a_program_that_makes_no_group(launch, program, status):
    outcome = launch(program, "--respawn", "2")
    assert outcome.returncode == status, outcome.stderr


def test_other_communicators_are_refused_where_processes_wait_without_the_program(launch):
    outcome = launch("from renga.distributed import create_communicator\ncreate_communicator('flat')", "--max", "3")
    assert outcome.returncode == 1
    assert (
        "communicator 'flat': 3 of the 5 processes of this job wait without the program (--respawn, --max), which only "
        "communicator 'resilient' can use. Next: choose that one, or start the job without these options"
    ) in outcome.stderr
