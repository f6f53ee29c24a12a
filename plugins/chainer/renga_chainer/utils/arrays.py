"""Arrays and scalars, dtypes and shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array

__all__ = ["force_array", "force_type", "size_of_shape", "sum_to"]


def force_array(x: Any, dtype: Any = None) -> Array:
    """Return an array unchanged, and a scalar as an array without axes.

    NumPy turns results without axes into scalars; this function turns them back into arrays.

    Args:
        x: An array of any backend, or a scalar.
        dtype: Dtype of the result; that of `x` if None.
    """
    if np.isscalar(x) or isinstance(x, np.generic):
        return np.asarray(x, dtype)
    return x if dtype is None else x.astype(dtype, copy=False)


def force_type(dtype: Any, value: Any) -> Any:
    """Cast a scalar or an array to `dtype`; return `value` itself if it has that dtype."""
    if np.isscalar(value):
        return np.dtype(dtype).type(value)
    return value.astype(dtype, copy=False)


def size_of_shape(shape: Sequence[int]) -> int:
    """Number of elements of an array with this shape: the product; 1 for ``()``."""
    return math.prod(shape)


def sum_to(x: Array, shape: Sequence[int]) -> Array:
    """Sum an array over the axes along which `shape` would be broadcast to its shape.

    This reverses broadcasting of arrays; `renga.functions.sum_to` does the same for Variables.

    Args:
        x: Array ``(…)``.
        shape: Shape of the result; each of its axes, counted from the last, has size 1 or that of `x`.

    Raises:
        ValueError: An array of `shape` cannot be broadcast to the shape of `x`.
    """
    target = tuple(shape)
    lead = x.ndim - len(target)
    if lead < 0 or any(size not in (1, there) for size, there in zip(target, x.shape[lead:], strict=True)):
        raise ValueError(f"sum_to: an array of shape {target} cannot be broadcast to {tuple(x.shape)}, the shape of x")
    axes = (*range(lead), *[lead + i for i, size in enumerate(target) if size == 1 != x.shape[lead + i]])
    return x.sum(axis=axes, keepdims=True).reshape(target) if axes else x
