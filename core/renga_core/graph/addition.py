"""Sums of two arrays: for values, and for gradients that meet at a variable."""

from __future__ import annotations

from renga_core.backend import Array, get_backend
from renga_core.kernel import Operation

__all__ = ["LARGE", "add_large"]

LARGE = 1 << 15
"""From this number of elements, `add_large` adds arrays; for smaller ones, their own ``+`` has less overhead."""


def _add(x0: Array, x1: Array) -> Array:
    return x0 + x1


ADD = Operation("add", _add, samples="renga_testing.operator_samples:add")


def add_large(x0: Array, x1: Array) -> Array:
    """``x0 + x1``, broadcast, in a new array, by the fastest kernel."""
    y: Array = ADD.select(get_backend(x0), x0, x1).forward(x0, x1)
    return y
