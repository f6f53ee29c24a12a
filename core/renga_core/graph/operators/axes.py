"""Checking axes of arrays, and summing over axes."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from renga_core.backend import Array, is_floating
from renga_core.graph.errors import InvalidType

__all__ = ["is_broadcast_of", "is_half", "normalize_axes", "sum_array", "sum_array_to"]


def normalize_axes(function: str, axis: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Return axes as a sorted tuple of numbers from 0, checked against the number of axes."""
    if axis is None:
        return tuple(range(ndim))
    try:
        given = tuple([index(a) for a in (axis if isinstance(axis, Sequence) else (axis,))])
    except TypeError:
        raise TypeError(f"{function}: an axis must be an integer, and axes a tuple of them, not {axis!r}") from None
    for a in given:
        if not -ndim <= a < ndim:
            expected = (f"{-ndim} to {ndim - 1}" if ndim else "none") + f", for {ndim} axes"
            raise InvalidType(function, "axis", expected, f"axis {a}")
    axes = tuple(sorted(a % ndim for a in given))
    if len(set(axes)) != len(axes):
        raise InvalidType(function, "axis", "no axis twice", str(given))
    return axes


def is_broadcast_of(shape: tuple[int, ...], original: tuple[int, ...]) -> bool:
    """Whether an array of shape `original` broadcasts to `shape`."""
    lead = len(shape) - len(original)
    return lead >= 0 and all(a in (1, b) for a, b in zip(original, shape[lead:], strict=True))


def sum_array_to(x: Array, shape: tuple[int, ...]) -> Array:
    """Sum an array to a shape that broadcasts to its shape: the gradient of `broadcast_to`."""
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(i for i, size in enumerate(shape, lead) if size == 1 and x.shape[i] != 1)
    return sum_array(x, axes, True).reshape(shape) if axes else x


def sum_array(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    """Sum in the dtype of `x` (NumPy would widen small integers), half precision through float32.

    In half precision a running sum of ones stops at 2048, because 2048 + 1 rounds to 2048. In bfloat16 it stops at 256.
    """
    if is_half(x.dtype):
        return x.sum(axis=axes, dtype=np.float32, keepdims=keepdims).astype(x.dtype)
    return x.sum(axis=axes, dtype=x.dtype, keepdims=keepdims)


def is_half(dtype: Any) -> bool:
    """Whether the dtype is float16 or bfloat16, which are summed in float32."""
    return bool(dtype.itemsize == 2 and is_floating(dtype))
