"""Tests here need numba (`pip install 'renga[numba]'`), but those in test_disk.py, and are skipped without it."""

import pytest

from renga_kernels_numba.availability import unavailable


def pytest_collection_modifyitems(items):
    reason = unavailable()
    if reason is None:
        return
    for item in items:
        if "kernels_numba" in item.path.parts and item.path.name != "test_disk.py":
            item.add_marker(pytest.mark.skip(reason=f"numba cannot be used: {reason}"))
