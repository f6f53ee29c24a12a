"""Convolutions of images with stride 1, expanding windows along rows only.

The reference makes a matrix of all windows, ``kh * kw`` times as large as the images. Here each pixel is put beside its
neighbours in the row only, ``kw`` copies; the result is the sum of one matrix product for each row of the filters,
taken at different heights of the same matrix. Small images and few channels make products too small to pay.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from renga_core.backend import Array

__all__ = ["Convolution", "Deconvolution", "supports", "supports_deconvolution"]

Ints = tuple[int, ...]

_BLOCK = 1 << 19
"""Elements that the expanded rows may have: so many stay in the cache between products."""

_LEAST_CHANNELS = 16
_LEAST_PIXELS = 200
"""Below either the reference is as fast."""


def supports(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> bool:
    """Whether these are images with stride 1, of a size at which this is faster."""
    return (
        x.ndim == 4
        and stride == dilate == (1, 1)
        and groups == 1
        and x.shape[1] >= _LEAST_CHANNELS
        and out[0] * out[1] >= _LEAST_PIXELS
        and x.dtype == W.dtype
        and x.dtype.itemsize >= 4
    )


def supports_deconvolution(
    y: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints
) -> bool:
    """As `supports`, where the border is narrower than the filters."""
    return (
        y.ndim == 4
        and pad[0] < W.shape[2]
        and pad[1] < W.shape[3]
        and min(y.shape[2:]) > 0
        and supports(y, W, b, stride, pad, dilate, groups, size)
    )


class Convolution:
    """Operation ``convolution``."""

    @staticmethod
    def forward(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> Array:
        """As the reference."""
        n, channels = x.shape[:2]
        filters, (kh, kw) = W.shape[0], W.shape[2:]
        height, width = out[0] + kh - 1, out[1] + kw - 1
        rows_of_filters = W.transpose(2, 3, 1, 0).reshape(kh, kw * channels, filters)
        y = np.empty((n, out[0] * out[1], filters), x.dtype)
        step = max(1, _BLOCK // (height * out[1] * kw * channels))
        for start in range(0, n, step):
            images = _padded(x[start : start + step], pad, height, width)
            rows = _expand_rows(images, out[1], kw)
            part = y[start : start + step]
            np.matmul(rows[:, : part.shape[1]], rows_of_filters[0], out=part)
            for i in range(1, kh):
                part += rows[:, i * out[1] : i * out[1] + part.shape[1]] @ rows_of_filters[i]
        if b is not None:
            y += b
        return y.reshape(n, *out, filters).transpose(0, 3, 1, 2)


class Deconvolution:
    """Operation ``deconvolution``: with stride 1, the convolution with the filters turned around."""

    @staticmethod
    def forward(y: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints) -> Array:
        """As the reference."""
        border = (W.shape[2] - 1 - pad[0], W.shape[3] - 1 - pad[1])
        turned = W[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
        return Convolution.forward(y, turned, b, stride, border, dilate, groups, size)


def _padded(x: Array, pad: Ints, height: int, width: int) -> Array:
    """Images ``(n, height, width, C)``, with zeros around them or cut off at the end, as windows reach."""
    made = np.zeros((x.shape[0], height, width, x.shape[1]), x.dtype)
    seen = x[:, :, : max(0, height - pad[0]), : max(0, width - pad[1])].transpose(0, 2, 3, 1)
    made[:, pad[0] : pad[0] + seen.shape[1], pad[1] : pad[1] + seen.shape[2]] = seen
    return made


def _expand_rows(images: Array, width: int, kw: int) -> Array:
    """Each pixel beside the `kw - 1` that follow it in its row: ``(n, height * width, kw * C)``."""
    n, height, _, channels = images.shape
    s = images.strides
    windows = as_strided(images, (n, height, width, kw, channels), (*s[:3], *s[2:]), writeable=False)
    return windows.reshape(n, height * width, kw * channels)
