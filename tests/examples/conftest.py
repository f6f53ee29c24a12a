"""The run files under examples/, to be trained for less long."""

import importlib
import sys
from pathlib import Path

import pytest

from renga.run import build, load
from renga_core.plugin import get_manager

FOLDER = Path(__file__).parents[2] / "examples"


class Example:
    """One of the examples: its module, and the run that its file describes."""

    def __init__(self, name):
        self.path = FOLDER / name / "run.toml"
        self.run = load(self.path)
        self.module = importlib.import_module(name)

    def build(self, out, **changes):
        """The run with other settings, `__` standing for a dot, without the standard extensions."""
        settings = {key.replace("__", "."): value for key, value in changes.items()}
        return build(load(self.path, {"run.standard_extensions": [], "run.out": str(out), **settings}))

    def train(self, out, **changes):
        """Train it. Returns the training, and what the last evaluation found."""
        training = self.build(out, **changes)
        training.trainer.run()
        prefix = "validation/main/"
        found = training.trainer.observation
        return training, {key.removeprefix(prefix): float(value) for key, value in found.items() if prefix in key}


@pytest.fixture(scope="module")
def example_of():
    """Build examples, whose plugins are registered for the tests of one module only."""
    manager, path = get_manager(), [*sys.path]
    before = [*manager._registered]
    yield Example
    sys.path[:] = path
    manager._registered = before
    manager.refresh()
