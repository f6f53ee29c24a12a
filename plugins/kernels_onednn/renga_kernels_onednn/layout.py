"""Arrays in the layouts of the primitives: contiguous, images with channels last."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address
from renga_core.backend import Array
from renga_kernels_onednn.cache import find, same_bits
from renga_kernels_onednn.handles import Layout
from renga_kernels_onednn.primitive import Primitive, reorder

__all__ = [
    "channels_last",
    "empty_images",
    "has_nan",
    "image_layout",
    "laid_as",
    "plain_layout",
    "strides_of",
]

Ints = tuple[int, ...]

_SMALL = 1 << 13
"""Elements up to which NumPy copies faster than a primitive."""


def has_nan(x: Array) -> bool:
    """Whether some element of a float32 or bfloat16 array is NaN."""
    if x.itemsize == 2:  # by its bits, which is 50 times as fast: all ones in the exponent, and a mantissa other than 0
        return bool((x.view(np.uint16) & 0x7FFF).max() > 0x7F80)
    return bool(np.isnan(x.max()))


def laid_as(like: Array, x: Array) -> Array:
    """The array with the strides of `like`, which has no gaps; copied if necessary."""
    if x.strides == like.strides:
        return x
    copied = np.empty_like(like)
    copied[...] = x
    return copied


def channels_last(x: Array) -> Array:
    """Images ``(N, C, *size)`` with channels last in memory; copied if they have another order."""
    order = (0, *range(2, x.ndim), 1)
    last = x.transpose(order)
    if last.flags.c_contiguous:
        return x
    if x.size > _SMALL and x.flags.c_contiguous:
        made = empty_images(x.shape, x.dtype)
        find(x.size, _to_channels_last, x.shape, x.itemsize)(address(x), address(made))
        return made
    return _as_images(np.ascontiguousarray(last))


@same_bits
def _to_channels_last(shape: Ints, itemsize: int) -> Primitive:
    made = reorder(plain_layout(shape, itemsize), image_layout(shape, itemsize))
    assert made is not None, "more than one channel and more than one pixel, so that the two orders differ"
    return made


def empty_images(shape: Ints, dtype: Any = np.float32) -> Array:
    """New images with their channels last in memory."""
    return _as_images(np.empty((shape[0], *shape[2:], shape[1]), dtype))


def _as_images(last: Array) -> Array:
    return last.transpose(0, last.ndim - 1, *range(1, last.ndim - 1))


def plain_layout(shape: Ints, itemsize: int = 4) -> Layout:
    """Strides of a contiguous array."""
    return Layout(shape, strides_of(shape), itemsize)


def image_layout(shape: Ints, itemsize: int = 4) -> Layout:
    """The strides of images with channels last."""
    last = strides_of((shape[0], *shape[2:], shape[1]))
    return Layout(shape, (last[0], last[-1], *last[1:-1]), itemsize)


def strides_of(shape: Ints) -> Ints:
    """Strides, in elements, of a contiguous array."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))
