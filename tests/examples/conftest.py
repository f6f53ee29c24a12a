"""The programs under examples/, to be called."""

import importlib.util
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"


class Program:
    """One of the programs: its module, and its main with what its settings say unless told otherwise."""

    def __init__(self, name):
        self.settings = tomllib.loads((FOLDER / name / "config.toml").read_text())
        spec = importlib.util.spec_from_file_location(name, FOLDER / name / f"{name}.py")
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)

    def run(self, **changes):
        return self.module.main(**self.settings | changes)


@pytest.fixture(scope="session")
def program():
    return Program
