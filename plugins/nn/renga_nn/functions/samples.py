"""Arguments to try kernels with: what the conformance kit compares a kernel with the reference on.

One function for each operation, named as the operation: odd and even sizes, ones, batches of one and none, strides,
borders, dilations and groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from renga_core.kernel import Sample
from renga_nn.functions.connection.window import conv_outsize
from renga_nn.functions.pooling.window import Window

__all__ = [
    "batch_normalization",
    "convolution",
    "convolution_filter_gradient",
    "deconvolution",
    "linear",
    "max_pooling",
]

Host = np.ndarray[Any, Any]

# images, filters, stride, pad, dilate, groups
_CONVOLUTIONS: dict[
    str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], int]
] = {
    "3 x 3": ((2, 3, 6, 7), (4, 3, 3, 3), (1, 1), (0, 0), (1, 1), 1),
    "3 x 3 with a border": ((2, 3, 5, 4), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "1 x 1": ((2, 3, 5, 5), (4, 3, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "strides": ((1, 2, 8, 9), (3, 2, 3, 2), (2, 3), (1, 0), (1, 1), 1),
    "dilated": ((2, 2, 9, 8), (2, 2, 3, 2), (1, 2), (2, 1), (2, 3), 1),
    "groups": ((2, 4, 5, 5), (6, 2, 3, 3), (1, 1), (1, 1), (1, 1), 2),
    "one dimension": ((3, 2, 10), (4, 2, 3), (2,), (1,), (1,), 1),
    "large": ((2, 17, 15, 16), (18, 17, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "no examples": ((0, 3, 6, 6), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
}


def _draw(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Host:
    return np.asarray(rng.uniform(-1, 1, shape).astype(dtype))


def linear(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, W, b)``."""
    for name, (rows, size, out) in {
        "odd sizes": (3, 5, 7),
        "one of each": (1, 1, 1),
        "many rows": (65, 33, 10),
        "no rows": (0, 4, 3),
    }.items():
        x, W = _draw(rng, (rows, size), dtype), _draw(rng, (out, size), dtype)
        yield Sample(name, (x, W, _draw(rng, (out,), dtype)))
        yield Sample(f"{name}, no bias", (x, W, None))


def _maps(case: str) -> tuple[int, ...]:
    images, filters, stride, pad, dilate, _ = _CONVOLUTIONS[case]
    sizes = zip(images[2:], filters[2:], stride, pad, dilate, strict=True)
    return tuple(conv_outsize(n, k, s, p, d=d) for n, k, s, p, d in sizes)


def convolution(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, W, b, stride, pad, dilate, groups, out)``."""
    for name, (images, filters, stride, pad, dilate, groups) in _CONVOLUTIONS.items():
        x, W = _draw(rng, images, dtype), _draw(rng, filters, dtype)
        for b in (_draw(rng, filters[:1], dtype), None):
            yield Sample(name, (x, W, b, stride, pad, dilate, groups, _maps(name)))


def deconvolution(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(y, W, b, stride, pad, dilate, groups, size)``."""
    for name, (images, filters, stride, pad, dilate, groups) in _CONVOLUTIONS.items():
        y, W = _draw(rng, (images[0], filters[0], *_maps(name)), dtype), _draw(rng, filters, dtype)
        for b in (_draw(rng, images[1:2], dtype), None):
            yield Sample(name, (y, W, b, stride, pad, dilate, groups, images[2:]))


def convolution_filter_gradient(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, y, stride, pad, dilate, groups, ksize)``."""
    for name, (images, filters, stride, pad, dilate, groups) in _CONVOLUTIONS.items():
        x, y = _draw(rng, images, dtype), _draw(rng, (images[0], filters[0], *_maps(name)), dtype)
        yield Sample(name, (x, y, stride, pad, dilate, groups, filters[2:]))


def max_pooling(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, window)``; of equal elements the first is the largest."""
    for name, (shape, ksize, stride, pad, cover_all) in {
        "2 x 2": ((2, 3, 6, 4), 2, 2, 0, True),
        "overlapping, with a border": ((2, 3, 7, 6), 3, 2, 1, True),
        "last pixels left out": ((1, 2, 7, 8), 3, 3, 0, False),
        "no examples": ((0, 2, 4, 4), 2, 2, 0, True),
    }.items():
        # Few different values, so that there are equal ones in a window.
        x = np.asarray(rng.integers(-3, 4, shape).astype(dtype))
        window = Window.over("max_pooling", x, ksize, stride, pad, cover_all, 2)
        yield Sample(name, (x, window), lambda args, y, gy: (args[0], y, gy, args[1]))


def batch_normalization(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x, gamma, beta, eps, axes)``."""
    for name, (shape, axes) in {
        "vectors": ((5, 3), (0,)),
        "images": ((2, 3, 4, 5), (0, 2, 3)),
        "one example": ((1, 2, 3, 3), (0, 2, 3)),
        "the last axis stays": ((4, 3, 2), (0, 1)),
    }.items():
        kept = tuple(n for axis, n in enumerate(shape) if axis not in axes)
        gamma, beta = _draw(rng, kept, dtype), _draw(rng, kept, dtype)
        yield Sample(
            name,
            (_draw(rng, shape, dtype), gamma, beta, 2e-5, axes),
            lambda args, result, gy: (args[0], args[1], result[1], result[3], gy, args[4]),
        )
