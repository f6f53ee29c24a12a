"""``chainer.backends.intel64``, as on a machine without iDeep."""

from __future__ import annotations

from typing import Any

__all__ = [
    "Intel64Device",
    "check_ideep_available",
    "inputs_all_ready",
    "is_ideep_available",
    "mdarray",
    "should_use_ideep",
]

WHY = "iDeep is not available. Renga's fast CPU kernels are in pip install 'renga[onednn]', and need no setting"


class mdarray:
    """Stand-in for iDeep's arrays; no array is an instance."""


class Intel64Device:
    """Stand-in for iDeep's devices; no device is an instance."""

    def __init__(self) -> None:
        check_ideep_available()

    @staticmethod
    def from_array(array: Any) -> None:
        """Return None: no array belongs to iDeep."""


def is_ideep_available() -> bool:
    """Return False."""
    return False


def check_ideep_available() -> None:
    """Raise an error.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(WHY)


def should_use_ideep(level: str) -> bool:
    """Return False."""
    return False


def inputs_all_ready(inputs: Any, supported_ndim: Any = (2, 4)) -> bool:
    """Return False: no array belongs to iDeep."""
    return False
