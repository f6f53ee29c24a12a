"""Batch normalization in training, with statistics per channel; the channels are axis 1 or the last axis."""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import CHANNELS

__all__ = ["BatchNormalization", "supports"]

Ints = tuple[int, ...]

_MOMENTS = Loop("batch_normalization:moments", "f4* f4* i8 i8 i8")
_STATISTICS = Loop("batch_normalization:statistics", "f4* f4* f4* f4* f4* f8* i8 i8 i8 i8 f8")
_APPLY = Loop("batch_normalization:apply", "f4* f4* f4* i8 i8 i8")
_GRADIENT_SUMS = Loop("batch_normalization:gradient_sums", "f4* f4* f4* f4* i8 i8 i8")
_GRADIENT_FACTORS = Loop("batch_normalization:gradient_factors", "f4* f4* f4* f4* f4* f4* f8* i8 i8 i8 i8")
_GRADIENT = Loop("batch_normalization:gradient", "f4* f4* f4* f4* i8 i8 i8")

_WIDTH = 64
"""Least number of columns of a loop over a row; fewer do not pay. Eight such rows are 2 KiB of memory."""

_BLOCK = 1 << 14
"""Elements of a block: 64 KiB."""

_ROWS = 32
"""Least number of rows in a block; each block has sums of the size of three rows."""

_SMALL = 1 << 17
"""Up to this number of elements there is one block: waking another thread takes longer than half of the work."""


def supports(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> bool:
    """Whether these are float32 arrays with statistics for each element of one axis, the second or the last."""
    return is_single(x, gamma, beta) and gamma.ndim == 1 and _channel_axis(x, axes) is not None


class BatchNormalization:
    """Operation ``batch_normalization``."""

    @staticmethod
    def forward(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> tuple[Array, Array, Array, Array]:
        """See the reference."""
        images = _channels_last(x, axes)
        gamma, beta = np.ascontiguousarray(gamma), np.ascontiguousarray(beta)
        rows, width, size, blocks = _matrix(images)
        channels = gamma.size
        sums = np.empty((blocks, 3, width), np.float32)
        results, factors = np.empty((3, channels), np.float32), np.empty((3, width), np.float32)
        work = np.empty((2, channels))
        y = np.empty(images.shape, np.float32)
        _MOMENTS(blocks, address(images), address(sums), rows, width, size)
        places = map(address, (sums, gamma, beta, results, factors, work))
        _STATISTICS(-(-channels // CHANNELS), *places, rows, size, channels, width // channels, eps)
        _APPLY(blocks, address(images), address(y), address(factors), rows, width, size)
        mean, var, inv_std = results
        return _as_before(y, x, axes), mean, var, inv_std

    @staticmethod
    def backward(
        x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array, axes: Ints
    ) -> tuple[Array, Array, Array]:
        """See the reference."""
        images, gradient = _channels_last(x, axes), _channels_last(gy, axes)
        gamma, mean, inv_std = (np.ascontiguousarray(a) for a in (gamma, mean, inv_std))
        rows, width, size, blocks = _matrix(images)
        channels = gamma.size
        means = np.empty((width // channels, channels), np.float32)
        means[...] = mean
        sums = np.empty((blocks, 2, width), np.float32)
        results, factors = np.empty((2, channels), np.float32), np.empty((4, width), np.float32)
        work = np.empty((2, channels))
        gx = np.empty(images.shape, np.float32)
        _GRADIENT_SUMS(blocks, *map(address, (images, gradient, means, sums)), rows, width, size)
        places = map(address, (sums, gamma, mean, inv_std, results, factors, work))
        _GRADIENT_FACTORS(-(-channels // CHANNELS), *places, rows, size, channels, width // channels)
        _GRADIENT(blocks, *map(address, (images, gradient, gx, factors)), rows, width, size)
        ggamma, gbeta = results
        return _as_before(gx, x, axes), ggamma, gbeta


def _channel_axis(x: Array, axes: Ints) -> int | None:
    """Return the axis with separate statistics, if it is the second or the last."""
    if tuple(axes) == tuple(range(x.ndim - 1)):
        return int(x.ndim) - 1
    return 1 if tuple(axes) == (0, *range(2, x.ndim)) else None


def _channels_last(x: Array, axes: Ints) -> Array:
    """Return `x` with its channels on the last axis, without gaps; copy only if necessary."""
    last = x if _channel_axis(x, axes) == x.ndim - 1 else x.transpose(0, *range(2, x.ndim), 1)
    return np.ascontiguousarray(last)


def _as_before(last: Array, x: Array, axes: Ints) -> Array:
    """Return a result with its channels on the same axis as in `x`."""
    if _channel_axis(x, axes) == x.ndim - 1:
        return last
    return last.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def _matrix(images: Array) -> tuple[int, int, int, int]:
    """Return the layout of `images` as a matrix: rows, columns, rows per block, number of blocks.

    If there are few channels, several pixels form one row.
    """
    channels = images.shape[-1]
    rows = images.size // channels
    width = channels
    while width < _WIDTH and rows % 2 == 0:
        rows, width = rows // 2, width * 2
    size = max(_ROWS, _BLOCK // width) if images.size > _SMALL else rows
    return rows, width, size, -(-rows // size)
