"""Convolutions with windows of one pixel: products of matrices whose rows are pixels.

oneDNN's convolutions need filters in blocks, so each call would reorder the filters, and then their gradient back. A
product of matrices accepts both in their own order, and is as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address
from renga_core.backend import Array
from renga_kernels_onednn.handles import Description, Layout
from renga_kernels_onednn.layout import plain_layout
from renga_kernels_onednn.library import BIAS, DST, SRC, WEIGHTS
from renga_kernels_onednn.primitive import Primitive

__all__ = ["Forward", "Gradient", "Transposed", "is_pointwise"]

Ints = tuple[int, ...]


def is_pointwise(W: Ints, strides: Ints, window: Sequence[Any], same_size: bool) -> bool:
    """Whether each output pixel comes from exactly one input pixel, and the filters are a matrix.

    Args:
        W, strides: Shape of the filters, and strides in elements.
        window: Stride, pad, dilate and groups.
        same_size: Whether images and maps have the same size.
    """
    stride, pad, _, groups = window
    return (
        groups == 1
        and same_size
        and set(W[2:]) == {1} == set(stride)
        and not any(pad)
        and 1 in strides[:2]
        and min(strides[:2]) > 0
    )


class Forward:
    """``y = x W^T + b``.

    Args:
        itemsize: Bytes of an element.
        pixels: Number of pixels in all images.
        W, strides: Shape of the filters, and strides in elements.
        with_bias: Whether there is one.
    """

    def __init__(self, itemsize: int, pixels: int, W: Ints, strides: Ints, with_bias: bool) -> None:
        filters, channels = W[:2]
        x, y = plain_layout((pixels, channels), itemsize), plain_layout((pixels, filters), itemsize)
        transposed = Layout((channels, filters), (strides[1], strides[0]), itemsize)
        bias = plain_layout((1, filters), itemsize) if with_bias else None
        description = Description("matmul", x, transposed, bias, y)
        self._compute = Primitive(description, (SRC, WEIGHTS, DST, *((BIAS,) if with_bias else ())))

    def __call__(self, x: Array, W: Array, b: Any, y: Array) -> None:
        """Write `y`."""
        biases = [] if b is None else [np.ascontiguousarray(b)]
        self._compute(*map(address, (x, W, y, *biases)))


class Transposed:
    """``x = y W``; arguments as in `Forward`."""

    def __init__(self, itemsize: int, pixels: int, W: Ints, strides: Ints) -> None:
        filters, channels = W[:2]
        x, y = plain_layout((pixels, channels), itemsize), plain_layout((pixels, filters), itemsize)
        weights = Layout(W[:2], strides[:2], itemsize)
        self._compute = Primitive(Description("matmul", y, weights, None, x), (SRC, WEIGHTS, DST))

    def __call__(self, y: Array, W: Array, x: Array) -> None:
        """Write `x`."""
        self._compute(address(y), address(W), address(x))


class Gradient:
    """``W = y^T x``; arguments as in `Forward`."""

    def __init__(self, itemsize: int, pixels: int, W: Ints) -> None:
        filters, channels = W[:2]
        x, transposed = plain_layout((pixels, channels), itemsize), Layout((filters, pixels), (1, filters), itemsize)
        weights = plain_layout(W[:2], itemsize)
        self._compute = Primitive(Description("matmul", transposed, x, None, weights), (SRC, WEIGHTS, DST))

    def __call__(self, x: Array, y: Array, W: Array, b: Any) -> None:
        """Write `W`, which is contiguous, and `b` if it is not None."""
        self._compute(address(y), address(x), address(W))
        if b is not None:
            b[...] = y.sum(axis=(0, *range(2, y.ndim)), dtype=np.float32)
