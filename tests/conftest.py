"""For all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Set before NumPy is imported, in the workers of pytest-xdist and in the processes that tests start, too: several
# processes with several threads each for matrices of three rows are slower than one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

_NN = Path(__file__).parent / "nn"
_ON_EVERY_BACKEND = [
    *sorted(path for path in (_NN / "functions").iterdir() if path.is_dir() and not path.name.startswith("__")),
    _NN / "functions" / "test_on_every_backend.py",
    _NN / "links",
    _NN / "distributions",
    _NN.parent / "optimizers",
]


@pytest.fixture(params=_ON_EVERY_BACKEND, ids=lambda path: path.stem)
def part(request: pytest.FixtureRequest) -> Path:
    """One after the other, the tests that take their backends from the registry, in parts of a minute or so."""
    path = request.param
    assert isinstance(path, Path)
    return path
