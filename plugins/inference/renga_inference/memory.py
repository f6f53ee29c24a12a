"""Arrays of a plan: those that only have a shape and strides, and those that have a place in its memory."""

from __future__ import annotations

import math
import mmap
from typing import Any

import numpy as np

__all__ = ["laid", "unused", "unused_images", "unused_like"]

Host = np.ndarray[Any, Any]


def unused(shape: tuple[int, ...], dtype: Any) -> Host:
    """Return an array that occupies addresses, but no memory until someone writes to it.

    `numpy.empty` may return memory that was used before. That memory stays resident, and nobody else can have it.
    """
    dtype = np.dtype(dtype)
    return np.ndarray(shape, dtype, mmap.mmap(-1, math.prod(shape) * dtype.itemsize or 1))


def unused_images(shape: tuple[int, ...], dtype: Any) -> Host:
    """Return unused images with their channels last in memory."""
    last = unused((shape[0], *shape[2:], shape[1]), dtype)
    return last.transpose(0, len(shape) - 1, *range(1, len(shape) - 1))


def unused_like(array: Host) -> Host:
    """Return an unused array with the shape, dtype and memory order of another one, without its gaps."""
    axes = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    return unused(tuple([array.shape[axis] for axis in axes]), array.dtype).transpose(np.argsort(axes))


def laid(memory: Host, begin: int, like: Host) -> Host:
    """Return an array in memory, with the shape, dtype and strides of another one."""
    return np.ndarray(like.shape, like.dtype, memory, begin, like.strides)
