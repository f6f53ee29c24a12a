"""Increasing arrays, as inputs of networks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["increasing", "nonzero_increasing", "positive_increasing"]

Host = np.ndarray[Any, Any]


def increasing(*shape: int, dtype: Any = np.float32) -> Host:
    """Increasing integers, half of them negative, divided by their number.

    >>> increasing(4).tolist()
    [-0.5, -0.25, 0.0, 0.25]
    """
    size = math.prod(shape)
    return ((np.arange(size) - size // 2) / max(size, 1)).reshape(shape).astype(dtype)


def nonzero_increasing(*shape: int, dtype: Any = np.float32, bias: float = 1e-7) -> Host:
    """Like `increasing`, plus `bias`, so that none is 0."""
    return (increasing(*shape, dtype=np.float64) + bias).astype(dtype)


def positive_increasing(*shape: int, dtype: Any = np.float32, bias: float = 1e-7) -> Host:
    """Like `nonzero_increasing`, starting from `bias`."""
    size = math.prod(shape)
    return (np.arange(size) / max(size, 1) + bias).reshape(shape).astype(dtype)
