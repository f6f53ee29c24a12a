"""Pooling: operations ``max_pooling``, ``window_sum`` and ``window_spread``.

oneDNN's average includes the border, so it is the sum divided by the number of elements of the window.
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
from renga_kernels_onednn.cache import find, same_bits, scratch
from renga_kernels_onednn.handles import Description, dims
from renga_kernels_onednn.layout import channels_last, empty_images, has_nan, image_layout
from renga_kernels_onednn.library import (
    DIFF_DST,
    DIFF_SRC,
    DST,
    FORWARD_INFERENCE,
    FORWARD_TRAINING,
    POOLING_AVERAGE_WITH_BORDER,
    POOLING_MAX,
    SRC,
    WORKSPACE,
)
from renga_kernels_onednn.primitive import Primitive

__all__ = [
    "MaxPooling",
    "WindowSpread",
    "WindowSum",
    "supports",
    "supports_bfloat16",
    "supports_sum",
    "supports_sum_bfloat16",
]

Ints = tuple[int, ...]

_SMALLEST = np.finfo(np.float32).min


def supports(x: Array, window: Any, are_of_dtype: Callable[..., bool] = is_single) -> bool:
    """Whether these are float32 images with one to three spatial axes, and windows end near their border."""
    return are_of_dtype(x) and 3 <= x.ndim <= 5 and _fits(window)


supports_bfloat16 = partial(supports, are_of_dtype=is_bfloat16)


def supports_sum(x: Array, window: Any, scale: Any) -> bool:
    """As `supports`; the scale is a number, or an array of float32."""
    return supports(x, window) and (isinstance(scale, (int, float)) or getattr(scale, "dtype", None) == np.float32)


def supports_sum_bfloat16(x: Array, window: Any, scale: Any) -> bool:
    """As `supports`; the scale is a number."""
    return supports_bfloat16(x, window) and isinstance(scale, (int, float))


def _fits(window: Any) -> bool:
    """Whether each window contains a pixel, and the last one ends less than a stride before the end of the images."""
    sizes = zip(_border_at_end(window), window.stride, window.ksize, window.pad, strict=True)
    return all(-s < end < k and p < k for end, s, k, p in sizes)


def _border_at_end(window: Any) -> Ints:
    """How far beyond the images the last window reaches; negative if it ends before."""
    axes = zip(window.out, window.stride, window.ksize, window.size, window.pad, strict=True)
    return tuple([(o - 1) * s + k - n - p for o, s, k, n, p in axes])


class MaxPooling:
    """Operation ``max_pooling``.

    Backward computes the positions of the largest elements again, because the operation keeps only images and maxima.
    For oneDNN NaN is smaller than any number, and minus infinity is the smallest float32. That would hide that training
    has diverged, so the reference computes images with such elements.
    """

    @staticmethod
    def forward(x: Array, window: Any) -> Array:
        """See the reference."""
        y = empty_images((*x.shape[:2], *window.out), x.dtype)
        images = channels_last(x)
        find(x.size, _Maximum, x.shape, x.itemsize, window)(images, y)
        if has_nan(images) or _is_suspect(y):
            y = _reference().forward(x, window)
        return y

    @staticmethod
    def backward(x: Array, y: Array, gy: Array, window: Any) -> Array:
        """See the reference."""
        if _is_suspect(y):
            given: Array = _reference().backward(x, y, gy, window)
            return given
        images, maps = channels_last(x), channels_last(gy)
        gx = empty_images(x.shape, x.dtype)
        find(x.size, _MaximumGradient, x.shape, x.itemsize, window)(images, maps, gx)
        return gx


def _is_suspect(y: Array) -> bool:
    """Whether some element is NaN, minus infinity, or the smallest finite number."""
    if y.itemsize == 2:  # by the bits of bfloat16: the patterns of the smallest number and of infinity
        return bool(y.view(np.uint16).max() >= 0xFF7F or y.view(np.int16).max() > 0x7F80)
    return not y.min() > _SMALLEST


def _reference() -> Any:
    return operations["max_pooling"].reference


class WindowSum:
    """Operation ``window_sum``."""

    @staticmethod
    def forward(x: Array, window: Any, scale: Any) -> Array:
        """See the reference."""
        y = empty_images((*x.shape[:2], *window.out), x.dtype)
        images = channels_last(x)
        find(x.size, _Average, x.shape, x.itemsize, window)(images, y)
        factor = scale * math.prod(window.ksize)
        if not _is_one(factor):
            y *= factor
        return y


class WindowSpread:
    """Operation ``window_spread``: oneDNN's gradient of an average."""

    @staticmethod
    def forward(gy: Array, window: Any, scale: Any) -> Array:
        """See the reference."""
        factor = scale * math.prod(window.ksize)
        maps = channels_last(gy if _is_one(factor) else (gy * factor).astype(gy.dtype, copy=False))
        gx = empty_images((*gy.shape[:2], *window.size), gy.dtype)
        find(gx.size, _AverageGradient, gx.shape, gx.itemsize, window)(maps, gx)
        return gx


def _is_one(factor: Any) -> bool:
    """Whether it is 1 up to rounding."""
    return isinstance(factor, (int, float)) and abs(factor - 1) < 1e-12


def _forward(algorithm: int, kind: int, x: Ints, itemsize: int, window: Any) -> Description:
    return Description("pooling_forward", kind, algorithm, *_arguments(x, itemsize, window))


def _backward(algorithm: int, x: Ints, itemsize: int, window: Any) -> Description:
    forward = _forward(algorithm, FORWARD_TRAINING, x, itemsize, window)
    return Description("pooling_backward", algorithm, *_arguments(x, itemsize, window), forward)


def _arguments(x: Ints, itemsize: int, window: Any) -> list[Any]:
    return [
        image_layout(x, itemsize),
        image_layout((*x[:2], *window.out), itemsize),
        dims(window.stride),
        dims(window.ksize),
        dims([0] * len(window.ksize)),
        dims(window.pad),
        dims(_border_at_end(window)),
    ]


@same_bits
class _Maximum:
    def __init__(self, x: Ints, itemsize: int, window: Any) -> None:
        self._compute = Primitive(_forward(POOLING_MAX, FORWARD_INFERENCE, x, itemsize, window), (SRC, DST))

    def __call__(self, x: Array, y: Array) -> None:
        self._compute(address(x), address(y))


@same_bits
class _MaximumGradient:
    def __init__(self, x: Ints, itemsize: int, window: Any) -> None:
        forward = _forward(POOLING_MAX, FORWARD_TRAINING, x, itemsize, window)
        self._sizes = forward.bytes(WORKSPACE), forward.bytes(DST)
        self._search = Primitive(forward, (SRC, DST, WORKSPACE))
        self._give = Primitive(_backward(POOLING_MAX, x, itemsize, window), (DIFF_DST, WORKSPACE, DIFF_SRC))

    def __call__(self, x: Array, gy: Array, gx: Array) -> None:
        where, maxima = scratch("indexes", self._sizes[0]), scratch("maxima", self._sizes[1])
        self._search(address(x), maxima, where)
        self._give(address(gy), where, address(gx))


@same_bits
class _Average:
    def __init__(self, x: Ints, itemsize: int, window: Any) -> None:
        self._compute = Primitive(
            _forward(POOLING_AVERAGE_WITH_BORDER, FORWARD_INFERENCE, x, itemsize, window), (SRC, DST)
        )

    def __call__(self, x: Array, y: Array) -> None:
        self._compute(address(x), address(y))


@same_bits
class _AverageGradient:
    def __init__(self, x: Ints, itemsize: int, window: Any) -> None:
        self._compute = Primitive(_backward(POOLING_AVERAGE_WITH_BORDER, x, itemsize, window), (DIFF_DST, DIFF_SRC))

    def __call__(self, gy: Array, gx: Array) -> None:
        self._compute(address(gy), address(gx))
