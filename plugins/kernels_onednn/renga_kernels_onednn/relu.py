"""Rectified linear units of large arrays, with all threads."""

from __future__ import annotations

import numpy as np

from renga_core.backend import Array
from renga_kernels_onednn.cache import find
from renga_kernels_onednn.handles import Description, number
from renga_kernels_onednn.layout import address, plain_layout
from renga_kernels_onednn.library import DIFF_DST, DIFF_SRC, DST, FORWARD_TRAINING, RELU, RELU_BY_RESULT, SRC
from renga_kernels_onednn.primitive import Primitive

__all__ = ["ReLU", "supports"]

_SINGLE = np.dtype(np.float32)

_LEAST = 1 << 14
"""Elements up to which NumPy is as fast."""


def supports(x: Array) -> bool:
    """Whether this is a large float32 array."""
    return bool(x.size > _LEAST and x.dtype == _SINGLE and x.flags.aligned)


class ReLU:
    """Operation ``relu``; the result lies in memory in the order of its argument."""

    @staticmethod
    def forward(x: Array) -> Array:
        """As the reference."""
        # oneDNN makes 0 of NaN. That would hide that a training has gone astray.
        if np.isnan(x.max()):
            return np.maximum(x, 0)
        y = np.empty_like(x)
        given = _laid_as(y, x)
        find(x.size, _forward, x.size)(address(given), address(y))
        return y

    @staticmethod
    def backward(y: Array, gy: Array) -> Array:
        """As the reference."""
        gx = np.empty_like(y)
        result, gradient = _laid_as(gx, y), _laid_as(gx, gy)
        find(y.size, _backward, y.size)(address(result), address(gradient), address(gx))
        return gx


def _laid_as(like: Array, x: Array) -> Array:
    """The array, with the strides of one without gaps."""
    if x.strides == like.strides:
        return x
    copied = np.empty_like(like)
    copied[...] = x
    return copied


def _forward(size: int) -> Primitive:
    return Primitive(_description(RELU, size), (SRC, DST))


def _backward(size: int) -> Primitive:
    layout = plain_layout((size,))
    forward = _description(RELU_BY_RESULT, size)
    description = Description(
        "eltwise_backward", RELU_BY_RESULT, layout, layout, layout, number(0.0), number(0.0), forward
    )
    return Primitive(description, (DST, DIFF_DST, DIFF_SRC))


def _description(algorithm: int, size: int) -> Description:
    layout = plain_layout((size,))
    return Description("eltwise_forward", FORWARD_TRAINING, algorithm, layout, layout, number(0.0), number(0.0))
