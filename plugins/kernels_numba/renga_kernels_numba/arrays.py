"""Arrays as loops take them: by their addresses."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from renga_core.backend import Array

__all__ = ["address", "is_single"]

_SINGLE = np.dtype(np.float32)

_pointer_at = ctypes.c_void_p.from_address
_HEAD = object.__basicsize__


def address(x: Array) -> int:
    """Where an array's first element lies.

    Read from NumPy's C structure, behind the head that all Python objects have: 0.2 µs. ``__array_interface__`` takes
    five times as long.
    """
    return _pointer_at(id(x) + _HEAD).value or 0


def is_single(*arrays: Any) -> bool:
    """Whether all are float32 arrays with elements, in this machine's byte order and aligned."""
    return False not in [x.dtype == _SINGLE and x.size > 0 and x.flags.aligned for x in arrays]
