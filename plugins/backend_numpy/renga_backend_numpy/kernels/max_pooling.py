"""Max pooling that keeps the memory order of the images.

The reference pads images, and numbers the elements of each window for the gradient, in arrays of a fixed memory order.
Here each element of the window takes what is its own and marks the window as served, in few passes and in place. Where
windows do not overlap, nothing has to be added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import Array

__all__ = ["MaxPooling"]

_BLOCK = 1 << 18
"""Elements of images to work on at a time: so many stay in the cache from one element of the window to the next."""


class MaxPooling:
    """Operation ``max_pooling``; `window` is the operation's own description of the window."""

    @staticmethod
    def forward(x: Array, window: Any) -> Array:
        """Like the reference."""
        padded = _padded(x, window)
        elements = window.elements()
        y = np.copy(padded[next(elements)])
        for element in elements:
            np.maximum(y, padded[element], out=y)
        return y

    @staticmethod
    def backward(x: Array, y: Array, gy: Array, window: Any) -> Array:
        """Like the reference."""
        padded = _padded(x, window)
        gx = np.zeros_like(padded)
        overlapping = any(s < k for s, k in zip(window.stride, window.ksize, strict=True))
        step = max(1, _BLOCK * x.shape[0] // max(1, x.size))
        for start in range(0, x.shape[0], step):
            images = slice(start, start + step)
            _give(padded[images], y[images], gy[images], gx[images], window, overlapping)
        return window.crop_images(gx)


def _give(padded: Array, y: Array, gy: Array, gx: Array, window: Any, overlapping: bool) -> None:
    """Add each element of `gy` to `gx` in the place of the first of the largest elements."""
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
    # As the reference has it: a window of which NaN is the largest gives its gradient to the first element.
    if waiting.any():
        gx[next(window.elements())] += gy * waiting


def _padded(x: Array, window: Any) -> Array:
    """The images with a border that is never the largest, in the memory order of `x`."""
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
