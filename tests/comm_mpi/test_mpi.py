"""How MPI is started: in processes of their own, since it starts once in each."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi.launching import YIELD, crowded, rank_environment

PROGRAM = f"import os\nfrom renga_comm_mpi.mpi import MPI\nprint(MPI.COMM_WORLD.size, os.environ.get({YIELD!r}))\n"
CORES = len(os.sched_getaffinity(0))


def started(**variables):
    # Without these, MPI believes what the variables of the ranks that run this test say.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment | variables, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("variables", "value"),
    [
        ({}, None),
        ({"OMPI_COMM_WORLD_LOCAL_SIZE": str(CORES)}, None),
        ({"OMPI_COMM_WORLD_LOCAL_SIZE": str(CORES), "OMPI_COMM_WORLD_SIZE": str(CORES + 1)}, "1"),
        ({"OMPI_COMM_WORLD_LOCAL_SIZE": str(CORES + 1)}, "1"),
        ({"OMPI_COMM_WORLD_LOCAL_SIZE": str(CORES - 1)}, None),
        ({"OMPI_COMM_WORLD_LOCAL_SIZE": str(CORES), YIELD: "0"}, "0"),
        ({"OMPI_COMM_WORLD_LOCAL_SIZE": "many"}, None),
    ],
)
def test_ranks_that_wait_let_others_run_where_cores_are_few(variables, value):
    assert started(**variables) == f"1 {value}"


def test_all_modules_take_mpi_from_there():
    folder = os.path.dirname(sys.modules["renga_comm_mpi"].__file__)
    importing = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                importing += [name for line in file if line.strip().startswith("from mpi4py import")]
    assert importing == ["mpi.py"]


def test_ranks_are_launched_so_that_programs_with_mpi4py_alone_do_it_too(monkeypatch):
    monkeypatch.delenv(YIELD, raising=False)
    assert YIELD not in rank_environment(CORES)
    assert rank_environment(CORES + 1)[YIELD] == "1"
    monkeypatch.setenv(YIELD, "0")
    assert rank_environment(CORES + 1)[YIELD] == "0"
    assert crowded(CORES + 1)
    assert not crowded(CORES)
    assert crowded(CORES, alone=False)
    assert not crowded(CORES - 1, alone=False)
