"""Processes of MPI that hold something alone die, and the run ends as it does on simulated ranks of which none dies."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi.launching import LaunchError, find_mpiexec
from renga_comm_mpi.resilient.launching import check
from renga_distributed.simulation import simulate

sys.path.insert(0, str(Path(__file__).parent))
from program import program

try:
    check(find_mpiexec())
except LaunchError as error:
    pytest.skip(str(error), allow_module_level=True)

PROGRAM = Path(__file__).parent / "program.py"


@pytest.fixture
def job(tmp_path):
    def run(mode, moment, iteration, rank, spares=1, ranks=3):
        command = ["launch", "-n", str(ranks), "--fault-tolerant", "--spares", str(spares)]
        with subprocess.Popen(
            [sys.executable, "-m", "renga", *command, str(PROGRAM), mode, moment, str(iteration), str(rank)],
            env={**os.environ, "TMPDIR": str(tmp_path), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=100)
            except subprocess.TimeoutExpired:
                process.terminate()  # twice: then all ranks are killed
                time.sleep(0.5)
                process.terminate()
                raise
        return sorted(out.splitlines()), err, process.returncode

    return run


def undisturbed(mode, ranks):
    outcome = simulate(lambda comm: program(comm, mode), ranks, 0)
    assert not outcome.errors
    return [f"rank {rank} of {ranks} {outcome.results[rank]}" for rank in range(ranks)]


@pytest.mark.parametrize(
    ("mode", "moment", "iteration", "rank"),
    [
        ("sharded", "gather", 5, 0),
        pytest.param("sharded", "exchange", 4, 2, marks=pytest.mark.slow),
        pytest.param("accumulate", "adopt", 6, 1, marks=pytest.mark.slow),
        pytest.param("recurrent", "exchange", 5, 0, marks=pytest.mark.slow),
        pytest.param("stages", "adopt", 5, 0, marks=pytest.mark.slow),
        ("stages", "exchange", 6, 2),
    ],
)
def test_a_spare_gets_the_replica(job, mode, moment, iteration, rank):
    out, err, status = job(mode, moment, iteration, rank)
    assert f"rank {rank} lost, rank {rank} joined" in err
    assert status == 0, err
    assert out == undisturbed(mode, 3)


@pytest.mark.slow
def test_a_spare_gets_the_replica_of_who_leaves(job):
    out, err, status = job("stages", "leave", 5, 1)
    assert "rank 1 left as asked, rank 1 joined in iteration 5 (admit)" in err
    assert status == 0, err
    assert out == undisturbed("stages", 3)


def test_fewer_ranks_share_what_was_shared(job):
    out, err, status = job("sharded", "gather", 5, 0, spares=0)
    assert "rank 0 lost in iteration 5 (step); 2 ranks go on" in err
    assert status == 0, err
    assert [line[:11] for line in out] == ["rank 0 of 2", "rank 1 of 2"]
    assert len({line[11:] for line in out}) == 1


def test_parts_of_a_model_do_not_go_on_with_fewer(job):
    out, err, status = job("stages", "step", 5, 1, spares=0)
    assert out == []
    assert status != 0
    assert "3 ranks have become 2" in err
    assert "each rank has another part of the model. Next: go on with --resume on 3 ranks" in err
