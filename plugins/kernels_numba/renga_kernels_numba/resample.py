"""A sparse matrix along an axis of an array, in the order in which its axes lie in memory."""

from __future__ import annotations

import math

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop

__all__ = ["Resample", "supports"]

_LAST_AXIS = Loop("resample:last_axis", "f4* i8* f4* f4* i8 i8 i8 i8 i8")
_OTHER_AXIS = Loop("resample:other_axis", "f4* i8* f4* f4* i8 i8 i8 i8 i8 i8")

_BLOCK = 1 << 14
"""Elements of the result in a piece."""

_FEW = 16
"""Numbers in a row below which a loop over them does not pay."""


def supports(x: Array, axis: int, columns: Array, weights: Array) -> bool:
    """Whether `x` is float32, and the matrix has entries."""
    return is_single(x) and columns.size > 0


class Resample:
    """Operation ``resample``."""

    @staticmethod
    def forward(x: Array, axis: int, columns: Array, weights: Array) -> Array:
        """As the reference; the axes of the result lie in memory as those of `x`."""
        order = sorted(range(x.ndim), key=lambda a: -x.strides[a])
        data = np.ascontiguousarray(x.transpose(order))
        place = order.index(axis)
        entries, rows = columns.shape
        length, after, before = data.shape[place], math.prod(data.shape[place + 1 :]), math.prod(data.shape[:place])
        y = np.empty((*data.shape[:place], rows, *data.shape[place + 1 :]), np.float32)
        if after < _FEW:  # each number is a row of its own
            columns = columns[..., None] * after + np.arange(after)
            weights = np.repeat(weights, after, axis=-1)
            length, rows, after = length * after, rows * after, 1
        columns, weights = np.ascontiguousarray(columns, np.int64), np.ascontiguousarray(weights, np.float32)
        places = map(address, (data, columns, weights, y))
        if after == 1:
            size = max(1, _BLOCK // rows)
            _LAST_AXIS(-(-before // size), *places, entries, length, rows, before, size)
        else:
            total, size = before * rows, max(1, _BLOCK // after)
            _OTHER_AXIS(-(-total // size), *places, entries, length, rows, after, total, size)
        return y.transpose(np.argsort(order))
