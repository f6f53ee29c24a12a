"""Max pooling that keeps the memory order of the images.

The reference pads images and numbers the elements of each window for the gradient, in arrays of a fixed memory order.
Here each element of the window takes its part of the gradient and marks the window as done, in few passes and in place.
Windows that do not overlap need no sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import Array

__all__ = ["MaxPooling"]

_BLOCK = 1 << 18
"""Elements of images to work on at a time; they stay in the cache for all elements of the window."""


class MaxPooling:
    """Operation ``max_pooling``; `window` is the operation's description of the window."""

    @staticmethod
    def forward(x: Array, window: Any) -> Array:
        """See the reference."""
        padded = _padded(x, window)
        elements = window.elements()
        y = np.copy(padded[next(elements)])
        for element in elements:
            np.maximum(y, padded[element], out=y)
        return y

    @staticmethod
    def backward(x: Array, y: Array, gy: Array, window: Any) -> Array:
        """See the reference."""
        padded = _padded(x, window)
        gx = np.zeros_like(padded)
        overlapping = any(s < k for s, k in zip(window.stride, window.ksize, strict=True))
        step = max(1, _BLOCK * x.shape[0] // max(1, x.size))
        for start in range(0, x.shape[0], step):
            images = slice(start, start + step)
            _give(padded[images], y[images], gy[images], gx[images], window, overlapping)
        return window.crop_images(gx)


def _give(padded: Array, y: Array, gy: Array, gx: Array, window: Any, overlapping: bool) -> None:
    """Add each element of `gy` to `gx` at the first maximum of its window."""
    waiting = np.ones_like(y, dtype=bool)
    largest = np.empty_like(waiting)
    part = np.empty_like(y)
    for element in window.elements():
        np.equal(padded[element], y, out=largest)
        largest &= waiting
        waiting ^= largest
        if overlapping:
            np.multiply(gy, largest, out=part)
            gx[element] += part
        else:
            np.multiply(gy, largest, out=gx[element])
    # As in the reference: if the maximum is NaN, the first element of the window gets the gradient.
    if waiting.any():
        gx[next(window.elements())] += gy * waiting


def _padded(x: Array, window: Any) -> Array:
    """Pad the images with values that are never the maximum, in the memory order of `x`."""
    if window.padded == tuple(x.shape[2:]):
        return x
    channels_last = x.strides[1] == x.itemsize
    if channels_last:
        shape = (x.shape[0], *window.padded, x.shape[1])
        made = np.full(shape, -np.inf, x.dtype).transpose(0, x.ndim - 1, *range(1, x.ndim - 1))
    else:
        made = np.full((*x.shape[:2], *window.padded), -np.inf, x.dtype)
    window.crop_images(made)[...] = x
    return made
