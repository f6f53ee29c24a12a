"""Address and memory layout of NumPy arrays, for kernels in other languages."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from renga_core.backend import Array

__all__ = ["address", "is_bfloat16", "is_single", "lie_alike"]

_SINGLE = np.dtype(np.float32)

_pointer_at = ctypes.c_void_p.from_address
_HEAD = object.__basicsize__


def address(x: Array) -> int:
    """Return the address of an array's first element.

    It reads the address from NumPy's C structure, which follows the header of Python objects; that takes 0.2 µs.
    ``__array_interface__`` describes the whole array and takes 1.1 µs.
    """
    return _pointer_at(id(x) + _HEAD).value or 0


def is_single(*arrays: Any) -> bool:
    """Whether all are non-empty float32 arrays, aligned and in this machine's byte order."""
    return False not in [x.dtype == _SINGLE and x.size > 0 and x.flags.aligned for x in arrays]


def is_bfloat16(*arrays: Any) -> bool:
    """As `is_single`, for bfloat16: the dtype that the package ml_dtypes adds to NumPy."""
    return False not in [_means_bfloat16(x.dtype) and x.size > 0 and x.flags.aligned for x in arrays]


@functools.lru_cache(maxsize=64)
def _means_bfloat16(dtype: Any) -> bool:
    return bool(dtype.name == "bfloat16")  # NumPy computes the name each time, in a microsecond


def lie_alike(x: Array, *others: Array) -> bool:
    """Whether these are float32 arrays of one shape, all in the same memory order without gaps."""
    shape, strides = x.shape, x.strides
    for one in (x, *others):
        if one.dtype != _SINGLE or one.strides != strides or one.shape != shape or not one.flags.aligned:
            return False
    flags = x.flags
    return bool(flags.c_contiguous or flags.f_contiguous or x.transpose(_order(x)).flags.c_contiguous)


def _order(x: Array) -> list[int]:
    """Return the axes in the order of memory."""
    return sorted(range(x.ndim), key=lambda axis: -x.strides[axis])
