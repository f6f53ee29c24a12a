"""Runs that go well, and runs that are stopped and go on. Each is a real process."""

import csv
import json
import os
import re
import signal
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

from renga.cli.train import readable
from renga.run import build, load

# Everything with a state takes part: dropout's random numbers, Adam's moments, a shift, an iterator between epochs.
RUN = """
[run]
epochs = 4
seed = 3

[model]
use = "model:digits"

[data]
use = "digits"
batch_size = 100

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
trigger = [7, "iteration"]

[[extensions]]
use = "pace"
"""
MODEL = """
@hookimpl
def renga_models():
    return [Provider(name="digits", target="model_target:Digits", revision=1, summary="for tests")]

@hookimpl
def renga_extensions():
    return [Provider(name="pace", target="model_target:Pace", revision=1, summary="tells how far the run is")]

@hookimpl
def renga_run_start(config):
    open("started", "a").write(f"{config['run.seed']}\\n")

@hookimpl
def renga_run_finish(config, error):
    open("finished", "a").write(f"{error!r}\\n")
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
        def __init__(self, seconds: float = 0.0):
            self.seconds = seconds

        def __call__(self, trainer):
            pathlib.Path("iteration").write_text(str(trainer.updater.iteration))
            time.sleep(self.seconds)
"""
ITERATIONS = 58  # 4 epochs of 14.37 batches
SLOWLY = RUN.replace('use = "pace"', 'use = "pace"\nseconds = 0.02')


@pytest.fixture
def shell(shell):
    shell.install("model", MODEL, modules={"model_target": MODEL_TARGET})
    shell.write("run.toml", RUN)
    shell.write("slowly.toml", SLOWLY)
    return shell


def state(folder):
    """Return all that the last snapshot in a folder holds, but for times."""
    path = max(Path(folder).glob("snapshot_iter_*.npz"), key=lambda path: int(re.findall(r"\d+", path.name)[0]))
    with np.load(path, allow_pickle=False) as arrays:
        return {
            name: arrays[name]
            for name in arrays.files
            if name.startswith(("updater/", "random", "stop_trigger", "extension_triggers/"))
        }


def assert_identical(one, other):
    assert set(one) == set(other)
    assert sum("model" in name for name in one) >= 8
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
        assert one[name].dtype == other[name].dtype


def log(folder):
    """Return the log, but for times."""
    entries = [json.loads(line) for line in (Path(folder) / "log.jsonl").read_text().splitlines()]
    return [{key: value for key, value in entry.items() if key != "elapsed_time"} for entry in entries]


@pytest.fixture
def uninterrupted(shell):
    outcome = shell.renga("train", "run.toml", "--out", "whole")
    assert outcome.status == 0, outcome
    return shell.folder / "whole"


def test_what_a_run_leaves(shell, uninterrupted):
    assert {path.name for path in uninterrupted.iterdir()} == {
        "run.toml",
        "preprocessing.json",
        "log.jsonl",
        "log.csv",
        "snapshot_iter_44.npz",
        "snapshot_iter_58.npz",
    }
    entries = log(uninterrupted)
    assert [entry["epoch"] for entry in entries] == [1, 2, 3, 4]
    assert entries[-1]["iteration"] == ITERATIONS
    assert {"main/loss", "main/accuracy", "validation/main/loss", "validation/main/accuracy"} <= set(entries[-1])
    assert entries[-1]["main/loss"] < entries[0]["main/loss"]
    with open(uninterrupted / "log.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["main/loss"]) for row in rows] == [entry["main/loss"] for entry in entries]
    resolved = tomllib.loads((uninterrupted / "run.toml").read_text())
    assert resolved["run"] == {
        "backend": "auto",
        "communicator": "single",
        "dtype": "float32",
        "epochs": 4,
        "out": "whole",
        "seed": 3,
        "snapshot": [1, "epoch"],
        "keep_newest": 2,
        "keep_every_minutes": 0.0,
        "standard_extensions": [],
    }
    assert resolved["iterator"] == {"use": "serial"}
    assert (shell.folder / "started").read_text() == "3\n"
    assert (shell.folder / "finished").read_text() == "None\n"


def test_which_snapshots_are_kept_is_said_in_the_run_file(shell):
    said = ["keep_newest=1", "keep_best=validation/main/accuracy", "keep_every_minutes=1e6", "epochs=3"]
    words = [word for each in said for word in ("--set", f"run.{each}")]
    assert shell.renga("train", "run.toml", "--out", "out", *words).status == 0
    # Other values of these are no other run.
    resumed = shell.renga("train", "out/run.toml", "--resume", "--set", "run.epochs=4", "--set", "run.keep_newest=2")
    assert (resumed.status, "warning" in resumed.err) == (0, False), resumed.err
    entries = log(shell.folder / "out")
    best = max(entries, key=lambda entry: entry["validation/main/accuracy"])
    kept = {int(re.findall(r"\d+", path.name)[0]) for path in (shell.folder / "out").glob("snapshot_iter_*.npz")}
    assert kept == {15, 44, ITERATIONS, best["iteration"]}


def test_the_resolved_run_makes_the_same_run(shell, uninterrupted):
    assert shell.renga("train", "whole/run.toml", "--out", "again").status == 0
    assert_identical(state(uninterrupted), state(shell.folder / "again"))
    assert log(uninterrupted) == log(shell.folder / "again")


def test_another_seed_makes_another_run(shell, uninterrupted):
    assert shell.renga("train", "run.toml", "--out", "other", "--set", "run.seed=4").status == 0
    assert log(uninterrupted) != log(shell.folder / "other")


def iteration(shell):
    path = shell.folder / "iteration"
    text = path.read_text() if path.exists() else ""
    return int(text) if text else 0


def test_interrupted_in_the_middle_of_an_epoch_and_resumed(shell, uninterrupted):
    (shell.folder / "iteration").unlink()
    stopped = shell.stop(signal.SIGINT, lambda: iteration(shell) >= 20, "train", "slowly.toml")
    assert stopped.status == 130
    assert "Traceback" not in stopped.err
    (snapshot,) = (shell.folder / "result").glob("snapshot_iter_2*.npz")
    reached = int(re.findall(r"\d+", snapshot.name)[0])
    assert 20 <= reached < 29, "in the second epoch"
    assert stopped.err.endswith(
        f"renga: interrupted in epoch 2, after iteration {reached}\n"
        f"To continue from result/{snapshot.name}: renga train result/run.toml --resume\n"
    )
    assert (shell.folder / "finished").read_text().splitlines()[-1] == "KeyboardInterrupt()"
    resumed = shell.renga("train", "result/run.toml", "--resume")
    assert resumed.status == 0, resumed
    assert "warning" not in resumed.err
    assert_identical(state(uninterrupted), state(shell.folder / "result"))
    assert log(uninterrupted) == log(shell.folder / "result")


def test_sigterm_stops_what_a_script_has_started_in_the_background(shell, uninterrupted):
    """A shell has such programs ignore SIGINT."""
    (shell.folder / "iteration").unlink()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that is started inherits it
    try:
        stopped = shell.stop(signal.SIGTERM, lambda: iteration(shell) >= 20, "train", "slowly.toml")
    finally:
        signal.signal(signal.SIGINT, before)
    assert stopped.status == 130
    assert list((shell.folder / "result").glob("snapshot_iter_2*.npz"))


def test_killed_between_snapshots_and_resumed(shell, uninterrupted):
    (shell.folder / "iteration").unlink()
    stopped = shell.stop(signal.SIGKILL, lambda: iteration(shell) >= 22, "train", "slowly.toml")
    assert stopped.status == -signal.SIGKILL
    kept = [path.name for path in (shell.folder / "result").glob("snapshot_iter_*")]
    assert kept == ["snapshot_iter_15.npz"], "the last thing saved is the end of epoch 1"
    resumed = shell.renga("train", "slowly.toml", "--resume")
    assert resumed.status == 0, resumed
    assert_identical(state(uninterrupted), state(shell.folder / "result"))
    assert log(uninterrupted) == log(shell.folder / "result")


def test_resumed_for_longer(shell, uninterrupted):
    assert shell.renga("train", "run.toml", "--out", "part", "--epochs", "2").status == 0
    resumed = shell.renga("train", "run.toml", "--out", "part", "--resume")
    assert (resumed.status, "warning" in resumed.err) == (0, False)
    assert_identical(state(uninterrupted), state(shell.folder / "part"))


def test_a_run_that_has_had_its_epochs_is_not_trained_on(shell, uninterrupted):
    """Be they fewer, a divisor or not, or as many as it had."""
    assert shell.renga("train", "run.toml", "--out", "whole", "--overwrite", "--epochs", "3").status == 0
    before = {path.name: path.read_bytes() for path in uninterrupted.iterdir()}
    for epochs in (1, 2, 3):
        outcome = shell.renga("train", "run.toml", "--out", "whole", "--resume", "--epochs", str(epochs))
        assert (outcome.status, outcome.err) == (0, "")
        assert outcome.out == (
            f"Nothing to train: the run in whole has reached 3.062 epochs, iteration 44, and run.epochs is {epochs}.\n"
            "Next: continue it with --epochs 4 or more.\n"
        )
        assert {path.name: path.read_bytes() for path in uninterrupted.iterdir()} == before
    longer = shell.renga("train", "run.toml", "--out", "whole", "--resume")
    assert "continuing after iteration 44" in longer.out


def test_resuming_another_run_is_told(shell, uninterrupted):
    outcome = shell.renga("train", "whole/run.toml", "--resume", "--epochs", "5", "--set", "optimizer.beta1=0.8")
    assert outcome.status == 0
    assert (
        "renga: warning: a setting differs from the resumed run: optimizer.beta1 is now 0.8, and was None\n"
        in outcome.err
    )


def test_resuming_falls_back_on_the_snapshot_before_a_damaged_one(shell, uninterrupted):
    expected = state(uninterrupted)
    (uninterrupted / "snapshot_iter_58.npz").write_bytes(b"PK")
    outcome = shell.renga("train", "whole/run.toml", "--resume")
    assert outcome.status == 0, outcome
    assert "renga: warning: skipped a snapshot: " in outcome.err
    assert_identical(expected, state(uninterrupted))


def test_the_newest_snapshot_is_that_of_the_latest_iteration(shell, uninterrupted):
    """Whatever time a clock that was set back, or a folder that was copied, gives it."""
    assert shell.renga("train", "whole/run.toml", "--resume", "--epochs", "6").status == 0
    kept = sorted(path.name for path in uninterrupted.glob("snapshot*"))
    assert kept == ["snapshot_iter_72.npz", "snapshot_iter_87.npz"]
    os.utime(uninterrupted / kept[0], (2_500_000_000, 2_500_000_000))
    outcome = shell.renga("train", "whole/run.toml", "--resume", "--epochs", "7")
    assert "continuing after iteration 87" in outcome.out
    assert sorted(path.name for path in uninterrupted.glob("snapshot*")) == ["snapshot_iter_101.npz", kept[1]]


def test_two_runs_at_once_do_not_share_a_folder(shell):
    shell.write("waiting.toml", SLOWLY.replace("0.02", "600.0"))
    with shell.start("train", "waiting.toml") as first:
        try:
            while not iteration(shell):
                assert first.poll() is None, first.communicate()
                time.sleep(0.01)
            before = contents(shell.folder / "result")
            for more in ((), ("--resume",), ("--overwrite",)):
                second = shell.renga("train", "run.toml", *more)
                assert second.status == 1
                whose = rf"result is in use: process {first.pid} on .*, since 20.* train waiting.toml\)"
                assert re.search(whose, second.err), second.err
                assert "or name another folder: --out DIR" in second.err
            assert contents(shell.folder / "result") == before
        finally:
            first.kill()
    assert shell.renga("train", "run.toml").status == 0
    assert not list((shell.folder / "result").glob(".*"))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_overwriting_leaves_nothing_of_the_earlier_run(shell, uninterrupted):
    assert shell.renga("train", "run.toml", "--out", "whole", "--overwrite", "--epochs", "1").status == 0
    assert [path.name for path in uninterrupted.glob("snapshot*")] == ["snapshot_iter_15.npz"]
    assert len(log(uninterrupted)) == 1


def test_dry_run_prints_the_run_and_writes_nothing(shell):
    before = shell.files()
    outcome = shell.renga("train", "run.toml", "--dry-run", "--set", "model.n_units=7", "--backend", "numpy")
    assert (outcome.status, outcome.err) == (0, "")
    assert shell.files() == before
    printed = tomllib.loads(outcome.out)
    assert printed["model"] == {"use": "model:digits", "n_units": 7}
    assert printed["run"]["backend"] == "numpy"
    assert printed["optimizer"] == {"use": "adam"}


def test_naming_another_optimizer_drops_the_arguments_of_the_first(shell):
    shell.write("run.toml", RUN.replace('use = "adam"', 'use = "adam"\nalpha = 0.01'))
    outcome = shell.renga("train", "run.toml", "--dry-run", "--set", "optimizer.use=sgd", "--set", "optimizer.lr=1")
    assert tomllib.loads(outcome.out)["optimizer"] == {"use": "sgd", "lr": 1}


def test_a_list_wishes(shell):
    wish = '\n[[extensions]]\nuse = ["plot_report"]\ny_keys = ["main/loss"]\nfilename = "curves.png"\n'
    shell.write("run.toml", RUN + wish)
    hidden = """
        import importlib.util, sys
        found = importlib.util.find_spec
        importlib.util.find_spec = lambda name, package=None: None if name == "matplotlib" else found(name, package)
    """
    shell.install("hides", "import hides_matplotlib", modules={"hides_matplotlib": hidden})
    without = shell.renga("train", "run.toml", "--epochs", "1", "--out", "without")
    assert without.status == 0, without
    notes = [line for line in without.out.splitlines() if line.startswith("note ")]
    assert notes == ["note       without plot_report: module 'matplotlib' is not installed; pip install 'renga[plot]'"]
    assert not (shell.folder / "without" / "curves.png").exists()
    shell.write("run.toml", RUN + wish.replace('["plot_report"]', '"plot_report"'))
    demanded = shell.renga("train", "run.toml", "--out", "demanded")
    assert demanded.status == 2
    assert demanded.err.endswith("module 'matplotlib' is not installed.\nNext: pip install 'renga[plot]'\n")
    assert not (shell.folder / "demanded").exists()


def test_curves_are_drawn(shell):
    wish = '\n[[extensions]]\nuse = ["plot_report"]\ny_keys = ["main/loss"]\nfilename = "curves.png"\n'
    shell.write("run.toml", RUN + wish)
    assert shell.renga("train", "run.toml", "--epochs", "1").status == 0
    assert (shell.folder / "result" / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_from_python_it_is_the_same_run(shell, uninterrupted, monkeypatch):
    monkeypatch.chdir(shell.folder)
    monkeypatch.syspath_prepend(str(shell.site))
    from renga_core.plugin import PluginManager, using_manager

    with using_manager(PluginManager()):
        training = build(load("run.toml", {"run.out": "python"}))
        assert not Path("python").exists()
        training.trainer.run()
    assert_identical(state(uninterrupted), state("python"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lenet", "mlp"])
def test_shipped_runs(shell, name):
    outcome = shell.renga("train", name)
    assert outcome.status == 0, outcome
    assert log(shell.folder / "result")[-1]["validation/main/accuracy"] >= (0.985 if name == "lenet" else 0.95)
    assert (shell.folder / "result" / "curves.png").stat().st_size > 10_000


def test_numbers_are_written_for_people():
    said = {0.4206123: "0.4206", 19310.4: "19,310", -1234.5: "-1,234", 999.94: "999.9", 3e12: "3e+12", 1e-9: "1e-09"}
    assert {value: readable(value) for value in said} == said
    assert readable(float("nan")) == "nan"
