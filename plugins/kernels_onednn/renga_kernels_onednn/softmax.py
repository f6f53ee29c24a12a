"""Softmax and its logarithm.

If a score is NaN or infinite, oneDNN sets the others to 0 or minus infinity, which would hide that training has
diverged. For such scores the reference computes. Minus infinity is an ordinary score.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_bfloat16, is_single
from renga_core.backend import Array
from renga_core.kernel import operations
from renga_kernels_onednn.cache import find, same_bits
from renga_kernels_onednn.handles import Description
from renga_kernels_onednn.layout import has_nan, plain_layout
from renga_kernels_onednn.library import DIFF_DST, DIFF_SRC, DST, FORWARD_TRAINING, LOG_SOFTMAX, SOFTMAX, SRC
from renga_kernels_onednn.primitive import Primitive

__all__ = ["LogSoftmax", "Softmax", "plan_of_gradient", "plan_of_softmax", "supports", "supports_bfloat16"]

Ints = tuple[int, ...]


def supports(x: Array, axis: int, are_of_dtype: Callable[..., bool] = is_single) -> bool:
    """Whether this is a float32 array."""
    return are_of_dtype(x) and -x.ndim <= axis < x.ndim


supports_bfloat16 = partial(supports, are_of_dtype=is_bfloat16)


class Softmax:
    """Operation ``softmax``."""

    @staticmethod
    def forward(x: Array, axis: int) -> Array:
        """See the reference."""
        return _forward("softmax", SOFTMAX, x, axis)

    @staticmethod
    def backward(y: Array, gy: Array, axis: int) -> Array:
        """See the reference."""
        return _backward(SOFTMAX, y, gy, axis)


class LogSoftmax:
    """Operation ``log_softmax``."""

    @staticmethod
    def forward(x: Array, axis: int) -> Array:
        """See the reference."""
        return _forward("log_softmax", LOG_SOFTMAX, x, axis)

    @staticmethod
    def backward(y: Array, gy: Array, axis: int) -> Array:
        """Like the reference, which is called if there is a NaN: oneDNN turns NaN into minus infinity."""
        if has_nan(y):
            reference: Any = operations["log_softmax"].reference
            right: Array = reference.backward(y, gy, axis)
            return right
        return _backward(LOG_SOFTMAX, y, gy, axis)


def _forward(operation: str, algorithm: int, x: Array, axis: int) -> Array:
    order = _order(x, axis)
    given = np.ascontiguousarray(x.transpose(order))
    if _is_suspect(given):
        right: Array = operations[operation].reference.forward(x, axis)
        return right
    y = np.empty(given.shape, given.dtype)
    find(given.size, plan_of_softmax, algorithm, *_folded(given.shape, order.index(axis % x.ndim)), given.itemsize)(
        address(given), address(y)
    )
    return y.transpose(np.argsort(order))


def _is_suspect(x: Array) -> bool:
    """Whether some element is NaN or plus infinity."""
    if x.itemsize == 2:  # by the bits of bfloat16
        return bool(x.view(np.int16).max() >= 0x7F80) or has_nan(x)
    return not x.max() < math.inf


def _backward(algorithm: int, y: Array, gy: Array, axis: int) -> Array:
    order = _order(y, axis)
    given, gradient = np.ascontiguousarray(y.transpose(order)), np.ascontiguousarray(gy.transpose(order))
    gx = np.empty(given.shape, given.dtype)
    compute = find(
        given.size, plan_of_gradient, algorithm, *_folded(given.shape, order.index(axis % y.ndim)), given.itemsize
    )
    compute(address(given), address(gradient), address(gx))
    return gx.transpose(np.argsort(order))


def _order(x: Array, axis: int) -> Ints:
    """Order of the axes in memory: as they are if the array has no gaps, else with the classes last."""
    every = tuple(range(x.ndim))
    if x.flags.c_contiguous:
        return every
    return (*[a for a in every if a != axis % x.ndim], axis % x.ndim)


def _folded(shape: Ints, axis: int) -> tuple[Ints, int]:
    """The shape with the axes before the classes joined, and those after them too; and the axis of the classes."""
    before, after = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    return ((before, shape[axis]) if after == 1 else (before, shape[axis], after)), 1


@same_bits
def plan_of_softmax(algorithm: int, shape: Ints, axis: int, itemsize: int = 4) -> Primitive:
    """Compute from one contiguous array into another; both may be the same array."""
    layout = plain_layout(shape, itemsize)
    description = Description("softmax_forward", FORWARD_TRAINING, algorithm, layout, layout, axis)
    return Primitive(description, (SRC, DST))


@same_bits
def plan_of_gradient(algorithm: int, shape: Ints, axis: int, itemsize: int = 4) -> Primitive:
    """Compute the gradient of the input from the result and its gradient; it may overwrite the latter."""
    layout = plain_layout(shape, itemsize)
    forward = Description("softmax_forward", FORWARD_TRAINING, algorithm, layout, layout, axis)
    description = Description("softmax_backward", algorithm, layout, layout, layout, axis, forward)
    return Primitive(description, (DST, DIFF_DST, DIFF_SRC))
