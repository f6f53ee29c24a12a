"""A run whose model, data and task stand in a Python file beside the run file."""

import sys

import pytest

from renga.run import build, load
from renga_core.plugin import get_manager
from renga_core.settings import SettingsError

RUN = """
[run]
plugin = "{name}.py"
epochs = 2
standard_extensions = []
out = "{out}"

[task]
use = "regression"

[model]
use = "line"

[data]
use = "points"
batch_size = 10

[optimizer]
use = "sgd"
lr = 0.1

[updater]
accumulate = 2

[evaluator]
trigger = [1, "iteration"]
"""
PLUGIN = """
import numpy as np
import renga.links as L
from renga.datasets import TupleDataset
from renga_core.plugin import Provider, hookimpl

@hookimpl
def renga_models():
    return [Provider("line", "{name}:make_line", 1, "a line")]

@hookimpl
def renga_datasets():
    return [Provider("points", "{name}:points", 1, "points on a line")]

def make_line():
    return L.Linear(1, 1)

def points():
    x = np.linspace(-1, 1, 50, dtype=np.float32)[:, None]
    return TupleDataset(x, 3 * x), TupleDataset(x[:10], 3 * x[:10])
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(get_manager(), "_registered", [])

    def write(name, plugin=PLUGIN):
        (tmp_path / f"{name}.py").write_text(plugin.replace("{name}", name))
        path = tmp_path / "run.toml"
        path.write_text(RUN.replace("{name}", name).replace("{out}", str(tmp_path / "result")))
        return path

    yield write
    get_manager().refresh()


def test_it_trains(write, tmp_path):
    run = load(write("points_on_a_line"))
    training = build(run)
    training.trainer.run()
    assert training.trainer.updater.iteration == 5  # 2 epochs of 50 examples, 20 an update
    assert training.trainer.observation["validation/main/absolute_error"] < 2
    assert run.plugin == str(tmp_path / "points_on_a_line.py")
    assert load(tmp_path / "result" / "run.toml").as_document() == run.as_document()


def test_an_updater_that_has_devices_of_its_own(write):
    devices = {"main": "numpy", "second": "numpy"}
    training = build(load(write("two_devices"), {"updater.use": "parallel", "updater.devices": devices}))
    training.trainer.run()
    assert training.trainer.updater.iteration == 5


def test_what_is_wrong(write, tmp_path):
    with pytest.raises(SettingsError, match=r"run\.plugin \(from renga.using\): .*missing\.py is not a Python"):
        load(write("there"), {"run.plugin": str(tmp_path / "missing.py")})
    with pytest.raises(SettingsError, match="another module is named 'json'"):
        load(write("json"))
    with pytest.raises(ZeroDivisionError) as caught:
        load(write("raises_on_import", "1 / 0"))
    assert "raises_on_import.py, which run.plugin" in caught.value.__notes__[0]
