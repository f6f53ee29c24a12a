"""Tests here need oneDNN (`pip install 'renga[onednn]'`), but those in test_probe.py, and are skipped without it."""

import pytest

from renga_core.settings import using
from renga_kernels_onednn.library import unavailable


def pytest_collection_modifyitems(items):
    reason = unavailable()
    if reason is None:
        return
    for item in items:
        if "kernels_onednn" in item.path.parts and item.path.name != "test_probe.py":
            item.add_marker(pytest.mark.skip(reason=f"oneDNN cannot be used: {reason}"))


@pytest.fixture(autouse=True)
def without_numba():
    """Its kernels of the same operations come first."""
    with using({"plugins.disable": ["numba"]}):
        yield
