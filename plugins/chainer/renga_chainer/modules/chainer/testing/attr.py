"""``chainer.testing.attr``: marks of tests, for ``pytest -m "not gpu"``. Tests that cannot run are skipped.

Without pytest there are no marks, and unittest skips the tests.
"""

from __future__ import annotations

import os
import unittest
from collections.abc import Callable
from typing import Any

from renga_chainer.modules.chainer.backends import cuda
from renga_testing.cases.parameters import Generated

__all__ = [
    "MARKS",
    "chainerx",
    "check_available",
    "cudnn",
    "get_error",
    "gpu",
    "ideep",
    "is_available",
    "multi_gpu",
    "slow",
]

MARKS = {
    "chainerx": "needs ChainerX",
    "cudnn": "needs cuDNN",
    "gpu": "needs a GPU",
    "ideep": "needs iDeep",
    "slow": "takes long",
    "theano": "needs Theano",
}
"""The meaning of each mark."""

_error: ImportError | None = None
try:
    import pytest
except ImportError as error:
    _error = error


def is_available() -> bool:
    """Whether pytest is installed."""
    return _error is None


def get_error() -> ImportError | None:
    """The import error, if pytest is missing."""
    return _error


def check_available() -> None:
    """Raise RuntimeError if pytest is not installed."""
    if _error is not None:
        raise RuntimeError(f"{__name__} is not available: {_error}")


def chainerx(test: Any) -> Any:
    """Mark a test that needs ChainerX, which Renga lacks."""
    return _marked(test, "chainerx", "Renga has no ChainerX")


def cudnn(test: Any) -> Any:
    """Mark a test that needs cuDNN."""
    return _marked(test, "cudnn", "" if cuda.cudnn_enabled else "there is no cuDNN")


def ideep(test: Any) -> Any:
    """Mark a test that needs iDeep, which Renga lacks."""
    return _marked(test, "ideep", "Renga has no iDeep")


def slow(test: Any) -> Any:
    """Mark a slow test."""
    return _marked(test, "slow", "")


def gpu(test: Any) -> Any:
    """Mark a test that needs a GPU."""
    return multi_gpu(1)(test)


def multi_gpu(gpu_num: int) -> Callable[[Any], Any]:
    """Mark a test that needs this many GPUs. ``CHAINER_TEST_GPU_LIMIT`` in the environment can lower their number."""
    limit = int(os.environ.get("CHAINER_TEST_GPU_LIMIT", "-1"))
    there = cuda.cupy.cuda.runtime.getDeviceCount() if cuda.available else 0
    there = there if limit < 0 else min(there, limit)
    return lambda test: _marked(test, "gpu", f"{gpu_num} GPUs required" if there < gpu_num else "")


def _marked(test: Any, mark: str, why_not: str) -> Any:
    if isinstance(test, Generated):
        for case in test.classes:
            _marked(case, mark, why_not)
        return test
    if _error is None:
        test = getattr(pytest.mark, mark)(test)
    return unittest.skip(why_not)(test) if why_not else test
