"""The largest sample of each bin of regions (maxima of regions, RoIAlign with maxima), and the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.region_sums import BANDS

__all__ = ["RegionMaxima", "RegionMaximaSpread", "supports", "supports_spread"]

_TABLES = "i8* i8* i8* f8* u1* i8* i8* f8* u1*"
_SIZES = "i8 i8 i8 i8 i8 i8 i8 i8 i8"
_MAXIMA = Loop("region_maxima:maxima", f"f4* {_TABLES} f4* i4* {_SIZES}")
_SPREAD = Loop("region_maxima:spread", f"f4* i4* {_TABLES} f4* {_SIZES}")

_BLOCK = 1 << 12
"""Elements of the result in a piece."""


def supports(pixels: Array, samples: Any) -> bool:
    """Whether pixels are float32, and there are regions."""
    return is_single(pixels) and samples.first.size > 0


def supports_spread(gy: Array, number: Array, samples: Any, count: int) -> bool:
    """Whether gradients are float32, and there are regions."""
    return is_single(gy) and number.dtype == np.int32


class RegionMaxima:
    """Operation ``region_maxima``."""

    @staticmethod
    def forward(pixels: Array, samples: Any) -> tuple[Array, Array]:
        """See the reference; the bits are equal."""
        pixels = np.ascontiguousarray(pixels)
        shape = (*samples.first.shape, pixels.shape[1])
        y, number = np.empty(shape, np.float32), np.empty(shape, np.int32)
        size = max(1, _BLOCK // shape[3])
        arrays = pixels, *_tables(samples), y, number
        bins = samples.first.size
        _MAXIMA(-(-bins // size), *map(address, arrays), *_sizes(samples, shape[3]), bins, size)
        return y.transpose(0, 3, 1, 2), number


class RegionMaximaSpread:
    """Operation ``region_maxima_spread``: each thread adds to its own lines of the images."""

    @staticmethod
    def forward(gy: Array, number: Array, samples: Any, count: int) -> Array:
        """See the reference."""
        channels = gy.shape[1]
        gx = np.zeros((count, channels), np.float32)
        lines = count // samples.size[1]
        size = -(-lines // BANDS)
        rows = np.ascontiguousarray(gy.transpose(0, 2, 3, 1))
        arrays = rows, np.ascontiguousarray(number), *_tables(samples), gx
        _SPREAD(-(-lines // size), *map(address, arrays), *_sizes(samples, channels), samples.first.size, size)
        return gx


def _tables(samples: Any) -> list[Array]:
    """The arrays that describe samples, as loops take them."""
    tables = [np.ascontiguousarray(samples.first, np.int64)]
    for axis in (samples.rows, samples.columns):
        tables += [np.ascontiguousarray(pixel, np.int64) for pixel in (axis.low, axis.high)]
        tables += [np.ascontiguousarray(axis.share, np.float64), np.ascontiguousarray(axis.valid)]
    return tables


def _sizes(samples: Any, channels: int) -> tuple[int, ...]:
    _, height, width = samples.first.shape
    counts = samples.rows.low.shape[2], samples.columns.low.shape[2]
    return channels, samples.size[1], height, width, *counts, int(samples.between)
