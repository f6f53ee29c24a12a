"""Depthwise convolution of images, its transpose, and the gradient of filters and biases.

The forward and the transposed convolution serve where oneDNN does not. The gradient of filters comes before oneDNN's,
whose sums depend on the number of threads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop

__all__ = [
    "Convolution",
    "Deconvolution",
    "FilterGradient",
    "ParameterGradients",
    "supports",
    "supports_gradient",
]

Ints = tuple[int, ...]

_NUMBERS = " ".join(["i8"] * 15)
_FORWARD = Loop("depthwise_convolution:forward", f"f4* f4* f4* f4* {_NUMBERS}")
_TRANSPOSED = Loop("depthwise_convolution:transposed", f"f4* f4* f4* f4* {_NUMBERS}")
_GRADIENT = Loop("depthwise_convolution:filter_gradient", f"f4* f4* f4* {_NUMBERS}")

_BLOCK = 1 << 13
"""Elements of the result in a piece."""

_PIECES = 64
"""Sums of the gradient of filters; they are added up in float64."""


def supports(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> bool:
    """Whether each channel of float32 images has one filter of its own; for both directions."""
    bias = () if b is None else (b,)
    return (
        x.ndim == 4 and W.ndim == 4 and W.shape[:2] == (groups, 1) and x.shape[1] == groups and is_single(x, W, *bias)
    )


def supports_gradient(x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints) -> bool:
    """As `supports`."""
    return x.ndim == y.ndim == 4 and x.shape[1] == y.shape[1] == groups and is_single(x, y)


class Convolution:
    """Operation ``convolution``."""

    @staticmethod
    def forward(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> Array:
        """See the reference."""
        y = np.empty((x.shape[0], *out, groups), np.float32)
        numbers = (*x.shape[2:], groups, *out, *W.shape[2:], *stride, *pad, *dilate)
        return _run(_FORWARD, x, W, b, y, numbers)


class Deconvolution:
    """Operation ``deconvolution``."""

    @staticmethod
    def forward(y: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints) -> Array:
        """See the reference."""
        x = np.empty((y.shape[0], *size, groups), np.float32)
        numbers = (*size, groups, *y.shape[2:], *W.shape[2:], *stride, *pad, *dilate)
        return _run(_TRANSPOSED, y, W, b, x, numbers)


class FilterGradient:
    """Operation ``convolution_filter_gradient``."""

    @staticmethod
    def forward(x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints) -> Array:
        """See the reference."""
        return _gradients(x, y, stride, pad, dilate, groups, ksize)[0]


class ParameterGradients:
    """Operation ``convolution_parameter_gradients``."""

    @staticmethod
    def forward(
        x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints
    ) -> tuple[Array, Array]:
        """See the reference."""
        return _gradients(x, y, stride, pad, dilate, groups, ksize)


def _run(loop: Loop, source: Array, W: Array, b: Any, result: Array, numbers: tuple[int, ...]) -> Array:
    """Compute `result`, which has its channels last."""
    channels = result.shape[3]
    filters = np.ascontiguousarray(W.reshape(channels, -1).T)
    bias = np.zeros(channels, np.float32) if b is None else np.ascontiguousarray(b)
    rows = math.prod(result.shape[:2])
    size = max(1, _BLOCK * rows // result.size) if result.size else 1
    arrays = _last(source), filters, bias, result
    loop(-(-rows // size), *map(address, arrays), *numbers, rows, size)
    return result.transpose(0, 3, 1, 2)


def _gradients(
    x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints
) -> tuple[Array, Array]:
    rows = y.shape[0] * y.shape[2]
    size = -(-rows // _PIECES)
    pieces = -(-rows // size)
    sums = np.zeros((pieces, math.prod(ksize) + 1, groups), np.float32)
    numbers = (*x.shape[2:], groups, *y.shape[2:], *ksize, *stride, *pad, *dilate, rows, size)
    arrays = _last(x), _last(y), sums
    _GRADIENT(pieces, *map(address, arrays), *numbers)
    total = sums.sum(axis=0, dtype=np.float64).astype(np.float32)
    return np.ascontiguousarray(total[:-1].T).reshape(groups, 1, *ksize), total[-1]


def _last(x: Array) -> Array:
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1))
