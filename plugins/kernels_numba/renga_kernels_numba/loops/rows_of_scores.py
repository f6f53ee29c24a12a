"""Softmax of one row of scores, in place, and a sum that its gradient needs."""

from __future__ import annotations

import numpy as np

from renga_kernels_numba.loops.intrinsics import Float, Floats, from_bits, inline, key, sum_loop
from renga_kernels_numba.loops.mathematics import exp

__all__ = ["largest_of", "sum_of_products", "weights_of"]

_ZERO = np.float32(0)
_ONE = np.float32(1)
_LOWEST = np.int32(-0x80000000)
_REST = np.int32(0x7FFFFFFF)


@inline
def largest_of(x: Floats, start: int, stop: int) -> Float:
    """The largest element; NaN, if there is one with sign 0."""
    found = _LOWEST
    for i in range(start, stop):
        found = max(found, key(x[i]))
    return from_bits(np.int32(found ^ ((found >> 31) & _REST)))


@sum_loop
def sum_of_products(x: Floats, y: Floats, start: int, stop: int) -> Float:
    """The sum of products of elements at equal places."""
    total = _ZERO
    for i in range(start, stop):
        total += x[i] * y[i]
    return total


@sum_loop
def _exponentials(x: Floats, start: int, stop: int, shift: Float) -> Float:
    """Replace elements by exp(x - shift), and return their sum."""
    total = _ZERO
    for i in range(start, stop):
        e = exp(x[i] - shift)
        x[i] = e
        total += e
    return total


@inline
def weights_of(x: Floats, start: int, stop: int, scale: Float) -> None:
    """Replace a row by softmax(scale * row)."""
    for i in range(start, stop):
        x[i] *= scale
    factor = _ONE / _exponentials(x, start, stop, largest_of(x, start, stop))
    for i in range(start, stop):
        x[i] *= factor
