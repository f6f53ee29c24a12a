"""The command that has ranks fail: each kind once."""

import pytest

pytest.importorskip("mpi4py")
from benchmarks.failures import FAULTS, PROMISED, attempt, markdown
from renga_comm_mpi.launching import find_mpiexec


@pytest.mark.parametrize("name", FAULTS)
def test_all_ranks_end_and_say_why(name):
    found = attempt(FAULTS[name], 3, find_mpiexec())
    assert found.said
    assert found.seconds is not None
    assert found.seconds < PROMISED


def test_a_fault_that_does_not_come_is_noticed():
    broken = FAULTS["raises"]._replace(program="", said=["exception on rank"])
    found = attempt(broken, 2, find_mpiexec())
    assert not found.said
    with pytest.raises(RuntimeError, match="the job failed before that"):
        attempt(FAULTS["raises"], 2, find_mpiexec()._replace(path="/bin/false"))


def test_the_page():
    record = {"machine": "abacus", "mpi": "Open MPI 9", "jobs": 7, "hangs": 1, "late": 2, "said": 6}
    page = markdown({"killed": record | {"median": 0.251, "largest": 60.0}})
    assert "on abacus, with Open MPI 9" in page
    assert "| a rank is killed (SIGKILL) | 7 | 1 | 2 | 6 | 0.25 | 60.00 |\n" in page
