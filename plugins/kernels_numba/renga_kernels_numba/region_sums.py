"""Weighted sums of the pixels of regions (RoIAlign, average pooling of regions), and their gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop

__all__ = ["BANDS", "RegionSpread", "RegionSums", "supports", "supports_spread"]

_SUMS = Loop("region_sums:sums", "f4* i8* i8* i8* f8* i8* i8* f8* f4* i8 i8 i8 i8 i8 i8")
_SPREAD = Loop("region_sums:spread", "f4* i8* i8* i8* f8* i8* i8* f8* f4* i8 i8 i8 i8 i8 i8")

_BLOCK = 1 << 13
"""Elements of the result in a piece."""

BANDS = 16
"""Pieces of the gradient. Each looks at all bins, and adds to its own lines of the images."""


def supports(pixels: Array, weights: Any) -> bool:
    """Whether pixels are float32, and there are regions."""
    return is_single(pixels) and weights.first.size > 0


def supports_spread(gy: Array, weights: Any, count: int) -> bool:
    """Whether gradients are float32, and there are regions."""
    return is_single(gy)


class RegionSums:
    """Operation ``region_sums``."""

    @staticmethod
    def forward(pixels: Array, weights: Any) -> Array:
        """See the reference."""
        pixels = np.ascontiguousarray(pixels)
        n, height, width = weights.first.shape
        channels, bins = pixels.shape[1], weights.first.size
        y = np.empty((n, height, width, channels), np.float32)
        tables = _tables(weights)
        size = max(1, _BLOCK // channels)
        numbers = (channels, weights.width, height, width, bins, size)
        _SUMS(-(-bins // size), address(pixels), *map(address, tables), address(y), *numbers)
        return y.transpose(0, 3, 1, 2)


class RegionSpread:
    """Operation ``region_spread``: each thread adds to its own lines of the images."""

    @staticmethod
    def forward(gy: Array, weights: Any, count: int) -> Array:
        """See the reference."""
        channels, height, width = gy.shape[1:]
        rows = np.ascontiguousarray(gy.transpose(0, 2, 3, 1))
        gx = np.zeros((count, channels), np.float32)
        tables = _tables(weights)
        lines = count // weights.width
        size = -(-lines // BANDS)
        numbers = (channels, weights.width, height, width, weights.first.size, size)
        _SPREAD(-(-lines // size), address(rows), *map(address, tables), address(gx), *numbers)
        return gx


def _tables(weights: Any) -> list[Array]:
    """The arrays that describe bins, as loops take them."""
    tables = [np.ascontiguousarray(weights.first, np.int64)]
    for axis in (weights.rows, weights.columns):
        starts = np.append(axis.starts.reshape(-1), len(axis.pixel)).astype(np.int64)
        tables += [starts, np.ascontiguousarray(axis.pixel, np.int64), np.ascontiguousarray(axis.weight, np.float64)]
    return tables
