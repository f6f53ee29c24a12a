"""Tests here need numba (`pip install 'renga[numba]'`), but those in test_disk.py, and are skipped without it."""

import numpy as np
import pytest

from renga_core.graph import Variable
from renga_core.settings import using
from renga_kernels_numba.availability import unavailable


def pytest_collection_modifyitems(items):
    reason = unavailable()
    if reason is None:
        return
    for item in items:
        if "kernels_numba" in item.path.parts and item.path.name != "test_disk.py":
            item.add_marker(pytest.mark.skip(reason=f"numba cannot be used: {reason}"))


@pytest.fixture
def regions():
    """Regions for images of 37 × 41 pixels, and the image of each."""
    rng = np.random.default_rng(0)
    start = rng.uniform(-10, 60, (90, 2))
    return np.concatenate((start, start + rng.uniform(0, 60, start.shape)), axis=1), rng.integers(0, 3, 90)


@pytest.fixture
def both_ways():
    """Compute a function and its gradient, with a certain kernel for some operations."""

    def compute(function, x, gy, operations, kernel):
        variable = Variable(x)
        with using({f"kernels.{operation}": kernel for operation in operations}):
            y = function(variable)
            y.grad = gy.astype(x.dtype)
            y.backward()
        return y.array, variable.grad

    return compute
