"""Max pooling of images whose channels are last in memory, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import CHANNELS

__all__ = ["MaxPooling", "supports"]

_FORWARD = Loop("max_pooling:forward", "f4* f4* i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8")
_BACKWARD = Loop("max_pooling:backward", "f4* f4* f4* f4* f4* i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8 i8")

_BLOCK = 1 << 15
"""Elements of the images that a piece reads."""


def supports(x: Array, window: Any) -> bool:
    """Whether these are float32 images with several channels, which are last in memory."""
    return x.ndim == 4 and x.shape[1] > 1 and is_single(x) and bool(_last(x).flags.c_contiguous)


class MaxPooling:
    """Operation ``max_pooling``."""

    @staticmethod
    def forward(x: Array, window: Any) -> Array:
        """See the reference."""
        n, channels, height, width = x.shape
        y = np.empty((n, *window.out, channels), np.float32)
        rows = n * window.out[0]
        size = max(1, _BLOCK * rows // x.size)
        numbers = (height, width, channels, *window.out, *window.ksize, *window.stride, *window.pad)
        _FORWARD(-(-rows // size), address(x), address(y), *numbers, rows, size)
        return y.transpose(0, 3, 1, 2)

    @staticmethod
    def backward(x: Array, y: Array, gy: Array, window: Any) -> Array:
        """See the reference."""
        n, channels, height, width = x.shape
        maxima, gradients = np.ascontiguousarray(_last(y)), np.ascontiguousarray(_last(gy))
        gx = np.empty((n, height, width, channels), np.float32)
        blocks = -(-channels // CHANNELS)
        work = np.empty((n * blocks, CHANNELS), np.float32)
        numbers = (height, width, channels, *window.out, *window.ksize, *window.stride, *window.pad)
        _BACKWARD(n * blocks, *map(address, (x, maxima, gradients, gx, work)), *numbers, blocks)
        return gx.transpose(0, 3, 1, 2)


def _last(x: Array) -> Array:
    return x.transpose(0, 2, 3, 1)
