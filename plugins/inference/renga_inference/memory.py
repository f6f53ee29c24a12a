"""Arrays of a plan: new ones, and those that have a place in its memory."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["empty_images", "laid"]

Host = np.ndarray[Any, Any]


def empty_images(shape: tuple[int, ...], dtype: Any) -> Host:
    """New images with their channels last in memory."""
    last = np.empty((shape[0], *shape[2:], shape[1]), dtype)
    return last.transpose(0, len(shape) - 1, *range(1, len(shape) - 1))


def laid(memory: Host, begin: int, like: Host) -> Host:
    """An array in memory that looks like another."""
    return np.ndarray(like.shape, like.dtype, memory, begin, like.strides)
