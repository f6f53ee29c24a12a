"""``chainer.backends.intel64`` as on a machine without iDeep."""

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

WHY = "iDeep is not available. Renga's fast kernels for CPUs are in pip install 'renga[onednn]', used without asking"


class mdarray:
    """No array is one of these."""


class Intel64Device:
    """No device is one of these."""

    def __init__(self) -> None:
        check_ideep_available()

    @staticmethod
    def from_array(array: Any) -> None:
        """None: no array is iDeep's."""


def is_ideep_available() -> bool:
    """False."""
    return False


def check_ideep_available() -> None:
    """Refuse.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError(WHY)


def should_use_ideep(level: str) -> bool:
    """False."""
    return False


def inputs_all_ready(inputs: Any, supported_ndim: Any = (2, 4)) -> bool:
    """False: no array is iDeep's."""
    return False
