"""Jobs of `resilient_nccl` go on when ranks die; ``python tests/comm_nccl/survivals.py`` tries more."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import fake_libnccl
import pytest

from renga_comm_nccl.resilient.connecting import GROW, KEEP, NEW, SHRINK, Earlier, way

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("survivals_of_nccl", HERE / "survivals.py")
survivals = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(survivals)
Fault, Job = survivals.Fault, survivals.Job
BOTH = frozenset({SHRINK, GROW})


@pytest.fixture
def launch(fake_environment, tmp_path):
    """Run `renga launch` with these arguments, in a folder of the test's own; it must end well."""

    def run(*arguments, **variables):
        variables = {"RENGA_OWN_DEVICE": "0,1,2", "FAKE_NCCL_STOPPED": "silent", **variables}
        ended = subprocess.run(
            [sys.executable, "-m", "renga", "launch", *arguments],
            cwd=tmp_path,
            env=os.environ | fake_environment | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr[-3000:]
        return ended

    return run


def there(*ranks, size=3, key=b"a", healthy=True):
    return [None if rank is None else Earlier(key, rank, size, healthy) for rank in ranks]


@pytest.mark.parametrize(
    ("earlier", "offers", "expected"),
    [
        (there(0, 1, 2), BOTH, KEEP),
        (there(0, 1, 2, healthy=False), BOTH, NEW),  # nobody died: there is nobody to exclude
        (there(0, 2), BOTH, SHRINK),
        (there(0, 2, healthy=False), BOTH, SHRINK),
        (there(0, 2), frozenset(), NEW),
        (there(2, 0), BOTH, NEW),  # shrinking keeps the order
        (there(0, None, 2), BOTH, NEW),  # a newcomer in the middle, or in the place of a dead rank
        (there(0, 1, 2, None), BOTH, GROW),
        (there(0, 1, 2, None, healthy=False), BOTH, NEW),
        (there(0, 1, None), BOTH, NEW),  # NCCL cannot grow and shrink at once
        (there(0, 1, 2, None), frozenset({SHRINK}), NEW),
        (there(0, 1) + there(2, key=b"b"), BOTH, NEW),
        (there(None, None), BOTH, NEW),
    ],
)
def test_how_devices_are_connected_again(earlier, offers, expected):
    assert way(earlier, offers) == expected


@pytest.mark.parametrize(
    ("job", "words"),
    [
        # A spare takes the place, and later NCCL hangs: the group is connected again.
        (
            Job(2, (Fault("kill", 1, 1, 5), Fault("nccl-hang", 5, 0, 3)), ("--spares", "1")),
            ["change 1 (0, None) (1,) ()", "has not ended in 5 s", "end 1 2"],
        ),
        # Without revoke, shrink and grow, a stopped rank and one that raises: the last one goes on alone.
        (
            Job(3, (Fault("stop", 4, 0, 3), Fault("raise", 1, 2, 2)), version=22602),
            ["change 1 (0, 1) (2,) ()", "(started as rank 0) was killed by SIGKILL; the others go on", "end 0 1"],
        ),
    ],
)
def test_the_others_go_on(fake_environment, job, words):
    library = {"RENGA_NCCL_LIBRARY": str(fake_libnccl.library(job.version))}
    outcome = survivals.run(job, fake_environment | library)
    assert not outcome.problem, f"{outcome.problem}\n{outcome.written}"
    for word in words:
        assert word in outcome.written


def test_hosts_may_be_connected_by_mpi(launch):
    pytest.importorskip("mpi4py")
    from renga_comm_mpi.launching import LaunchError, find_mpiexec
    from renga_comm_mpi.resilient.launching import check

    try:
        check(find_mpiexec())
    except LaunchError as error:
        pytest.skip(str(error))
    ended = launch("-n", "3", "--fault-tolerant", str(survivals.PROGRAM), "8", "kill:3:1:5")
    sizes = [3, 3, 3, 2, 2, 2, 2, 2]
    assert ended.stdout.count(f" 2 {survivals.surviving.expected(sizes)} 3 3 3 2 2 2 2 2") == 2, ended.stdout


@pytest.mark.slow  # two jobs of two and three processes
@pytest.mark.usefixtures("reference_kernels")
def test_a_trainer_ends_with_the_same_bits(launch, tmp_path):
    def train(out, *fault):
        spares = ("--spares", "1") if fault else ()
        program = str(HERE / "programs" / "surviving_trainer.py")
        ended = launch("-n", "2", "--communicator", "resilient_nccl", *spares, program, out, *fault)
        log = [json.loads(line) for line in (tmp_path / out / "log.jsonl").read_text().splitlines()]
        return ended, [{key: value for key, value in line.items() if key != "elapsed_time"} for line in log]

    whole, log = train("whole")
    killed, log_of_killed = train("killed", "9", "0")
    assert "rank 0 lost, rank 0 joined in iteration 9" in killed.stderr
    assert killed.stdout == whole.stdout
    assert len(log) == 20
    assert log_of_killed == log


@pytest.mark.slow  # a job of three processes
@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++, to compile the kernels of random numbers with")
@pytest.mark.usefixtures("reference_kernels")
def test_renga_train_goes_on(launch, tmp_path):
    """As in docs/how-to/train-through-failures.md; NCCL's call kills a rank."""
    (tmp_path / "run.toml").write_text(
        """
        run = {backend = "cupy:0", communicator = "resilient_nccl", epochs = 2}
        model = {use = "mlp"}
        data = {use = "digits", batch_size = 64}
        optimizer = {use = "adam"}
        distributed = {sharded = true}
        """
    )
    job = ["-n", "2", "--communicator", "resilient_nccl", "--spares", "1"]
    ended = launch(*job, "renga", "train", "run.toml", FAKE_NCCL_FAULTS="1:100:kill")
    assert "rank 1 lost, rank 1 joined in iteration" in ended.stderr
    last = json.loads((tmp_path / "result" / "log.jsonl").read_text().splitlines()[-1])
    assert last["epoch"] == 2
    assert last["validation/main/accuracy"] > 0.8
