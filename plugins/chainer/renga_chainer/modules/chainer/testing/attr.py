"""``chainer.testing.attr``: marks of tests, for ``pytest -m "not gpu"``; a test that cannot run here is skipped.

They work without pytest: then there are no marks, and unittest skips.
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
"""What each means."""

_error: ImportError | None = None
try:
    import pytest
except ImportError as error:
    _error = error


def is_available() -> bool:
    """Whether pytest is installed."""
    return _error is None


def get_error() -> ImportError | None:
    """Why it is not."""
    return _error


def check_available() -> None:
    """Raise RuntimeError if pytest is not installed."""
    if _error is not None:
        raise RuntimeError(f"{__name__} is not available: {_error}")


def chainerx(test: Any) -> Any:
    """Needs ChainerX, which there is not."""
    return _marked(test, "chainerx", "there is no ChainerX")


def cudnn(test: Any) -> Any:
    """Needs cuDNN."""
    return _marked(test, "cudnn", "" if cuda.cudnn_enabled else "there is no cuDNN")


def ideep(test: Any) -> Any:
    """Needs iDeep, which there is not."""
    return _marked(test, "ideep", "there is no iDeep")


def slow(test: Any) -> Any:
    """Takes long."""
    return _marked(test, "slow", "")


def gpu(test: Any) -> Any:
    """Needs a GPU."""
    return multi_gpu(1)(test)


def multi_gpu(gpu_num: int) -> Callable[[Any], Any]:
    """Needs so many GPUs; the environment variable ``CHAINER_TEST_GPU_LIMIT`` may say that there are fewer."""
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
