"""Arrays with statistics for each channel, as matrices whose columns are the channels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from renga_backend_numpy.arrays import is_bfloat16, is_single
from renga_core.backend import Array

__all__ = ["Ints", "Matrix", "as_before", "channels_last", "singles", "supports", "supports_bfloat16"]

Ints = tuple[int, ...]

_WIDTH = 64
"""Least number of columns of a loop over a row; fewer do not pay. Eight such rows are 2 KiB of memory."""

_BLOCK = 1 << 14
"""Elements of a block: 64 KiB of float32."""

_ROWS = 32
"""Least number of rows in a block; each block has sums of the size of three rows."""

_SMALL = 1 << 17
"""Up to this number of elements there is one block: waking another thread takes longer than half of the work."""


def supports(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> bool:
    """Whether these are float32 arrays with statistics for each element of one axis, the second or the last."""
    return is_single(x, gamma, beta) and gamma.ndim == 1 and _channel_axis(x, axes) is not None


def supports_bfloat16(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> bool:
    """As `supports` of bfloat16; scale and shift may be float32, which a link keeps them in."""
    either = False not in [is_single(a) or is_bfloat16(a) for a in (gamma, beta)]
    return is_bfloat16(x) and either and gamma.ndim == 1 and _channel_axis(x, axes) is not None


class Matrix(NamedTuple):
    """Layout of an array with channels last as a matrix: rows, columns, rows per block, number of blocks."""

    rows: int
    width: int
    size: int
    blocks: int

    @staticmethod
    def of(images: Array) -> Matrix:
        """The layout. If there are few channels, several pixels form one row."""
        channels = images.shape[-1]
        rows = images.size // channels
        width = channels
        while width < _WIDTH and rows % 2 == 0:
            rows, width = rows // 2, width * 2
        size = max(_ROWS, _BLOCK // width) if images.size > _SMALL else rows
        return Matrix(rows, width, size, -(-rows // size))


def channels_last(x: Array, axes: Ints) -> Array:
    """Return `x` with its channels on the last axis, without gaps; copy only if necessary."""
    last = x if _channel_axis(x, axes) == x.ndim - 1 else x.transpose(0, *range(2, x.ndim), 1)
    return np.ascontiguousarray(last)


def as_before(last: Array, x: Array, axes: Ints) -> Array:
    """Return a result with its channels on the same axis as in `x`."""
    if _channel_axis(x, axes) == x.ndim - 1:
        return last
    return last.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def singles(*arrays: Array) -> list[Array]:
    """Values per channel in float32, without gaps."""
    return [np.ascontiguousarray(a, np.float32) for a in arrays]


def _channel_axis(x: Array, axes: Ints) -> int | None:
    """Return the axis with separate statistics, if it is the second or the last."""
    if tuple(axes) == tuple(range(x.ndim - 1)):
        return int(x.ndim) - 1
    return 1 if tuple(axes) == (0, *range(2, x.ndim)) else None
