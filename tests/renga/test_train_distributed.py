"""Runs in several processes: what they compute, and what they say. Real ranks."""

import contextlib
import json
import os
import re
import signal
import time
import tomllib

import numpy as np
import pytest

import renga
from renga.run import build, load
from renga_comm_base.launched import launched

pytest.importorskip("mpi4py")

RUN = """
[run]
epochs = 3
seed = 3
dtype = "float64"
communicator = "naive"

[model]
use = "mlp"
n_units = 12

[data]
use = "digits"
batch_size = 200

[optimizer]
use = "adam"

[[hooks]]
use = "weight_decay"
rate = 1e-3

[[extensions]]
use = "log_report"

[[extensions]]
use = "exponential_shift"
attr = "alpha"
rate = 0.9
trigger = [3, "iteration"]
"""
ITERATIONS = 22  # 3 epochs of 7.185 batches


# --- on ranks that are there already ----------------------------------------------------------------------------------


def train(path, out, settings, resume=False):
    """Train; return the parameters, and the names of the extensions."""
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        training = build(load(path, {"run.out": str(out), **settings}), resume=resume)
        training.trainer.run(show_loop_exception_msg=False)
    return parameters_of(training), list(training.trainer.extensions)


def parameters_of(training):
    serializer = renga.serializers.DictionarySerializer()
    serializer.save(training.model)
    return {key: array.copy() for key, array in serializer.target.items()}


def log(folder):
    entries = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{key: value for key, value in entry.items() if key != "elapsed_time"} for entry in entries]


def assert_close(one, other):
    assert set(one) == set(other)
    for key in one:
        np.testing.assert_allclose(one[key], other[key], rtol=1e-10, atol=1e-12, err_msg=key)


@pytest.fixture
def run_file(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(RUN)
    return path


@pytest.fixture
def alone(run_file, tmp_path):
    """Parameters after training in one process, which leaves its log in the folder `alone`."""
    return train(run_file, tmp_path / "alone", {"run.communicator": "single"})[0]


@pytest.mark.parametrize(
    ("ranks", "settings"),
    [
        (2, {}),
        (3, {"distributed.overlap": True, "distributed.bucket_bytes": 100}),  # batches of 67, 67 and 66
        (2, {"distributed.sharded": True, "run.communicator": "flat"}),
        (2, {"distributed.batch_size_per_rank": True, "data.batch_size": 100, "iterator.use": "multithread"}),
    ],
)
def test_ranks_train_as_one_process_does(run_file, tmp_path, alone, rank_pool, ranks, settings):
    results = rank_pool(ranks).run((__file__, "train"), run_file, tmp_path / "out", settings)
    for parameters, _ in results:
        assert_close(parameters, alone)
    for entry, expected in zip(log(tmp_path / "out"), log(tmp_path / "alone"), strict=True):
        assert entry == pytest.approx(expected, rel=1e-9)
    assert "LogReport" in results[0][1]
    assert "LogReport" not in results[1][1]
    parts = {f"rank{rank}_of_snapshot_iter_{n}.npz" for rank in range(1, ranks) for n in (15, ITERATIONS)}
    left = {"log.csv", "log.jsonl", "preprocessing.json", "run.toml"}
    whole = left | {"snapshot_iter_15.npz", f"snapshot_iter_{ITERATIONS}.npz"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == whole | parts


def test_less_precise_messages_change_little(run_file, tmp_path, alone, rank_pool):
    settings = {"distributed.allreduce_grad_dtype": "float16"}
    parameters = rank_pool(2).run((__file__, "train"), run_file, tmp_path / "out", settings)[0][0]
    differences = [np.abs(parameters[key] - alone[key]).max() for key in alone]
    assert 0 < max(differences) < 0.05


def test_another_number_of_processes_goes_on(run_file, tmp_path, alone, rank_pool):
    """In the middle of the second epoch from 2 to 3, in the third to 1, and at once to 2 again."""
    out, pair = tmp_path / "out", rank_pool(2)
    save = {"run.snapshot": (1, "iteration"), "run.epochs": 1}
    pair.run((__file__, "train"), run_file, out, save)
    assert {re.match(r"\D+", path.name)[0] for path in out.glob("*.npz")} == {"snapshot_iter_", "rank"}
    save["run.epochs"] = 2
    rank_pool(3).run((__file__, "train"), run_file, out, save, True)
    train(run_file, out, {"run.communicator": "single", "run.epochs": 2}, resume=True)
    for parameters, _ in pair.run((__file__, "train"), run_file, out, {}, True):
        assert_close(parameters, alone)
    for entry, expected in zip(log(out), log(tmp_path / "alone"), strict=True):
        assert entry == pytest.approx(expected, rel=1e-9)
    assert tomllib.loads((out / "run.toml").read_text())["run"]["communicator"] == "naive"


def test_an_old_snapshot_goes_with_its_parts(run_file, tmp_path, rank_pool):
    """Whatever the number of processes now."""
    out = tmp_path / "out"
    rank_pool(3).run((__file__, "train"), run_file, out, {"run.epochs": 1})
    assert len(list(out.glob("*snapshot_iter_8.npz"))) == 3
    for ranks, epochs in ((2, 2), (1, 3), (1, 4)):
        settings = {"run.epochs": epochs}
        if ranks == 1:
            train(run_file, out, {"run.communicator": "single", **settings}, resume=True)
        else:
            rank_pool(ranks).run((__file__, "train"), run_file, out, settings, True)
        found = {path.name for path in out.glob("*.npz")}
        expected = {
            2: {f"{rank}snapshot_iter_{n}.npz" for n in (8, 15) for rank in ("", "rank1_of_")} | {PART_OF_RANK_2},
            3: {"snapshot_iter_15.npz", "rank1_of_snapshot_iter_15.npz", "snapshot_iter_22.npz"},
            4: {"snapshot_iter_22.npz", "snapshot_iter_29.npz"},
        }
        assert found == expected[epochs]


PART_OF_RANK_2 = "rank2_of_snapshot_iter_8.npz"


def test_ranks_that_have_had_their_epochs_do_not_train_on(run_file, tmp_path, rank_pool):
    out, pair = tmp_path / "out", rank_pool(2)
    pair.run((__file__, "train"), run_file, out, {"run.epochs": 2})
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    pair.run((__file__, "train"), run_file, out, {"run.epochs": 1}, True)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_ranks_draw_numbers_of_their_own(run_file, tmp_path, rank_pool):
    first, second = rank_pool(2).run((__file__, "draw"), run_file, tmp_path / "out")
    assert first != second
    alone = build(load(run_file, {"run.communicator": "single", "run.out": str(tmp_path / "alone")}))
    assert alone.communicator.size == 1
    assert first == numbers()


def draw(path, out):
    build(load(path, {"run.out": str(out)}))
    return numbers()


def numbers():
    return renga.random.generator(renga.get_device("numpy").backend).random(3).tolist()


# --- as users start them ----------------------------------------------------------------------------------------------

MODEL = """
@hookimpl
def renga_models():
    return [Provider(name="digits", target="model_target:Digits", revision=1, summary="for tests")]

@hookimpl
def renga_extensions():
    return [
        Provider(name="pace", target="model_target:Pace", revision=1, summary="tells how far the run is"),
        Provider(name="trouble", target="model_target:Trouble", revision=1, summary="fails on rank 1"),
    ]
"""
MODEL_TARGET = """
    import pathlib, time
    import renga, renga.functions as F, renga.links as L
    from renga_core.training import Extension

    class Digits(renga.Chain):
        def __init__(self, n_units: int = 20):
            super().__init__()
            with self.init_scope():
                self.first = L.Linear(None, n_units)
                self.norm = L.BatchNormalization(n_units)
                self.last = L.Linear(n_units, 10)

        def forward(self, x):
            return self.last(F.dropout(F.relu(self.norm(self.first(x))), 0.2))

    class Pace(Extension):
        on_every_rank = False

        def __call__(self, trainer):
            pathlib.Path("iteration").write_text(str(trainer.updater.iteration))
            time.sleep(0.02)

    class Trouble(Extension):
        def __init__(self, communicator):
            self.communicator = communicator

        def __call__(self, trainer):
            if self.communicator.rank == 1 and trainer.updater.iteration == 3:
                raise ValueError("a bad example")
"""
WITH_EVERYTHING = RUN.replace('use = "mlp"\nn_units = 12', 'use = "model:digits"') + '[[extensions]]\nuse = "pace"\n'


@pytest.fixture
def job(shell):
    """Runs ``renga train`` in two processes."""
    shell.install("model", MODEL, modules={"model_target": MODEL_TARGET})
    shell.write("run.toml", RUN)
    shell.write("everything.toml", WITH_EVERYTHING)
    return lambda *argv: shell.renga("launch", "-n", "2", "renga", "train", *argv)


def state(folder):
    """All that the last snapshot holds, on both ranks, but for times."""
    found = {}
    for name in (f"snapshot_iter_{ITERATIONS}.npz", f"rank1_of_snapshot_iter_{ITERATIONS}.npz"):
        with np.load(folder / name, allow_pickle=False) as arrays:
            found |= {(name, key): arrays[key] for key in arrays.files if key not in ("elapsed_time", "checkpoint")}
    return {key: array for key, array in found.items() if "elapsed" not in key[1] and "LogReport" not in key[1]}


def test_a_run_that_was_stopped_goes_on_bit_for_bit(shell, job):
    whole = job("everything.toml", "--out", "whole")
    assert whole.status == 0, whole.err
    assert whole.out.count("Done: test accuracy") == 1
    assert f"snapshot_iter_{ITERATIONS}.npz" in whole.out
    assert "rank1_of" not in whole.out
    assert re.search(r"^ranks +2 \(naive\), batches of 200 examples in all, 100 on each rank$", whole.out, re.M)

    (shell.folder / "iteration").unlink()
    process = shell.start("launch", "-n", "2", "renga", "train", "everything.toml", "--out", "stopped")
    while not (shell.folder / "iteration").exists() or int((shell.folder / "iteration").read_text() or 0) < 4:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.count("renga: interrupted in epoch") == 1
    stopped_at = int(re.search(r"after iteration (\d+)", err)[1])
    assert 4 <= stopped_at < ITERATIONS
    assert f"snapshot_iter_{stopped_at}.npz: renga launch -n 2 renga train stopped/run.toml --resume (or" in err
    assert (shell.folder / "stopped" / f"rank1_of_snapshot_iter_{stopped_at}.npz").exists()

    resumed = job("stopped/run.toml", "--resume")
    assert resumed.status == 0, resumed.err
    assert f"continuing after iteration {stopped_at}" in resumed.out
    assert log(shell.folder / "stopped") == log(shell.folder / "whole")
    one, other = state(shell.folder / "stopped"), state(shell.folder / "whole")
    assert set(one) == set(other)
    assert any("avg_mean" in key for name, key in one if name.startswith("rank1")) is False  # means over ranks by now
    for key, array in one.items():
        np.testing.assert_array_equal(array, other[key], err_msg=str(key))


def test_an_error_on_one_rank_ends_all_at_once(shell, job):
    shell.write("trouble.toml", RUN + '[[extensions]]\nuse = "trouble"\n')
    started_at = time.monotonic()
    outcome = job("trouble.toml")
    assert time.monotonic() - started_at < 40
    assert outcome.status == 1
    assert re.search(r"renga: error: ValueError: a bad example.*\nThis was rank 1 of 2, on ", outcome.err, re.S)
    # Rank 0, which waited for rank 1, tells what happened there, too.
    assert "rank 1: this rank has failed 'ValueError: a bad example'" in outcome.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--communicator", "single"], "2 processes were started, and run.communicator 'single' (from command line"),
        (["--set", "data.batch_size=1"], "is 1, fewer than the 2 processes that share each batch"),
        (["--set", "optimizer.alfa=1"], "Did you mean 'optimizer.alpha'?"),
        (["--out", "taken"], "holds a run already: snapshot_iter_1.npz"),
    ],
)
def test_what_is_wrong_is_said_once(shell, job, words, told):
    (shell.folder / "taken").mkdir()
    (shell.folder / "taken" / "snapshot_iter_1.npz").write_text("")
    outcome = job("run.toml", *words)
    assert outcome.status in (1, 2)
    assert outcome.err.count("renga: error:") == 1
    assert told in outcome.err
    assert outcome.out == ""
    assert not (shell.folder / "result").exists()


def test_a_group_of_one_says_so(shell):
    shell.write("run.toml", RUN)
    outcome = shell.renga("train", "run.toml", "--epochs", "1")
    assert outcome.status == 0, outcome.err
    assert re.search(r"^ranks +1 \(naive\); renga launch -n 4 renga train … starts more$", outcome.out, re.M)
    assert "snapshot_iter_8.npz" in outcome.out


def test_how_launchers_tell(monkeypatch):
    for name in list(os.environ):
        if name.startswith(("OMPI_", "PMI_", "MV2_", "SLURM_")):
            monkeypatch.delenv(name)
    assert launched() == (0, 1)
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "3")
    monkeypatch.setenv("SLURM_PROCID", "2")
    assert launched() == (2, 3)
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "4")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "1")
    assert launched() == (1, 4)
