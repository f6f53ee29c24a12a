import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def program():
    """The module `program.py` beside this file."""
    spec = importlib.util.spec_from_file_location("training_program", Path(__file__).with_name("program.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
