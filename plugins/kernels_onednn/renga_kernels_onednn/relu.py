"""Rectified linear units of large arrays, with all threads."""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address, is_bfloat16
from renga_core.backend import Array
from renga_kernels_onednn.cache import find, same_bits
from renga_kernels_onednn.handles import Description, number
from renga_kernels_onednn.layout import laid_as, plain_layout
from renga_kernels_onednn.library import (
    BINARY_GREATER,
    BINARY_MAX,
    DIFF_DST,
    DIFF_SRC,
    DST,
    FORWARD_TRAINING,
    OF_FIRST_POST_OP,
    RELU_BY_RESULT,
    SRC,
    SRC_1,
)
from renga_kernels_onednn.primitive import Primitive

__all__ = ["ReLU", "pass_where_positive", "rectify", "supports", "supports_bfloat16"]

_SINGLE = np.dtype(np.float32)

_LEAST = 1 << 14
"""Elements up to which NumPy is as fast."""


def supports(x: Array) -> bool:
    """Whether this is a large float32 array."""
    return bool(x.size > _LEAST and x.dtype == _SINGLE and x.flags.aligned)


def supports_bfloat16(x: Array) -> bool:
    """Whether this is a bfloat16 array, of any size: NumPy computes with bfloat16 one element at a time."""
    return is_bfloat16(x)


class ReLU:
    """Operation ``relu``; the result has the memory order of its argument."""

    @staticmethod
    def forward(x: Array) -> Array:
        """See the reference."""
        y = np.empty_like(x)
        given = laid_as(y, x)
        find(x.size, _forward, x.size, x.itemsize)(*[address(given)] * 3, address(y))
        return y

    @staticmethod
    def backward(y: Array, gy: Array) -> Array:
        """See the reference."""
        gx = np.empty_like(y)
        result, gradient = laid_as(gx, y), laid_as(gx, gy)
        find(y.size, _backward, y.size, y.itemsize)(address(result), address(gradient), address(gx))
        return gx


def rectify(y: Array) -> None:
    """Set negative elements of a contiguous float32 array to 0."""
    if y.size <= _LEAST:
        np.maximum(y, 0, out=y)
    else:
        find(y.size, _forward, y.size, y.itemsize)(*[address(y)] * 4)


def pass_where_positive(y: Array, gy: Array) -> Array:
    """The elements of `gy` where `y`, a float32 array, is positive; 0 elsewhere."""
    return gy * (y > 0) if y.size <= _LEAST else ReLU.backward(y, gy)


@same_bits
def _forward(size: int, itemsize: int) -> Primitive:
    """The larger of 0 and x. oneDNN's own ReLU turns NaN into 0, which would hide that training has diverged.

    oneDNN's maximum of two numbers returns the second one if either is NaN. Here the first number is ``x > x``, which
    is 0 for every x.
    """
    layout = plain_layout((size,), itemsize)
    description = Description("binary", BINARY_GREATER, layout, layout, layout, and_then=[(BINARY_MAX, layout)])
    return Primitive(description, (SRC, SRC_1, OF_FIRST_POST_OP | SRC_1, DST))


@same_bits
def _backward(size: int, itemsize: int) -> Primitive:
    layout, slope, unused = plain_layout((size,), itemsize), number(0.0), number(0.0)
    forward = Description("eltwise_forward", FORWARD_TRAINING, RELU_BY_RESULT, layout, layout, slope, unused)
    backward = Description("eltwise_backward", RELU_BY_RESULT, layout, layout, layout, slope, unused, forward)
    return Primitive(backward, (DST, DIFF_DST, DIFF_SRC))
