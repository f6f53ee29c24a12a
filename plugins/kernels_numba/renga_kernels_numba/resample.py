"""Sparse matrices along axes of an array, in the order in which its axes lie in memory."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop

__all__ = ["Resample", "supports"]

_LAST_AXIS = Loop("resample:last_axis", "f4* i8* f4* f4* i8 i8 i8 i8 i8")
_OTHER_AXIS = Loop("resample:other_axis", "f4* i8* f4* f4* i8 i8 i8 i8 i8 i8")
_CHOSEN_ROWS = Loop("resample:chosen_rows", "f4* i8* f4* i8* f4* f4* i8 i8 i8 i8 i8 i8 i8")
_PIXELS = Loop("resample:pixels", "f4* i8* f4* i8* f4* f4* i8 i8 i8 i8 i8 i8 i8 i8 i8")

_BLOCK = 1 << 14
"""Elements of the result in a piece."""

_FEW = 16
"""Numbers in a row below which a loop over them does not pay."""

_SUMMANDS = 4
"""Pixels in a sum over both axes, above which two sums, one for each axis, are faster."""


def supports(x: Array, axes: Sequence[int], columns: Sequence[Array], weights: Sequence[Array]) -> bool:
    """Whether `x` is float32, and the matrices have entries."""
    return is_single(x) and all(each.size > 0 for each in columns)


class Resample:
    """Operation ``resample``."""

    @staticmethod
    def forward(x: Array, axes: Sequence[int], columns: Sequence[Array], weights: Sequence[Array]) -> Array:
        """As the reference; the axes of the result lie in memory as those of `x`."""
        order = sorted(range(x.ndim), key=lambda a: -x.strides[a])
        y = np.ascontiguousarray(x.transpose(order))
        places = [order.index(axis) for axis in axes]
        matrices = {place: _contiguous(*pair) for place, *pair in zip(places, columns, weights, strict=True)}
        first = min(places)
        if sorted(places) == [first, first + 1] and _pays(y.shape[first:], matrices[first][0], matrices[first + 1][0]):
            y = _along_two(y, first, *matrices[first], *matrices[first + 1])
        else:
            for place, matrix in matrices.items():
                y = _along(y, place, *matrix)
        return y.transpose(np.argsort(order))


def _contiguous(columns: Array, weights: Array) -> tuple[Array, Array]:
    return np.ascontiguousarray(columns, np.int64), np.ascontiguousarray(weights, np.float32)


def _pays(shape: tuple[int, ...], row_columns: Array, columns: Array) -> bool:
    """Whether one pass over memory is faster than one for each of the first two axes of this shape."""
    if math.prod(shape[2:]) < _FEW:  # else elements would be gathered for more rows
        return len(row_columns) == 1 and row_columns.shape[1] <= shape[0]
    return len(row_columns) * len(columns) <= _SUMMANDS


def _along(x: Array, place: int, columns: Array, weights: Array) -> Array:
    """Multiply along one axis."""
    entries, rows = columns.shape
    length, after, before = x.shape[place], math.prod(x.shape[place + 1 :]), math.prod(x.shape[:place])
    y = np.empty((*x.shape[:place], rows, *x.shape[place + 1 :]), np.float32)
    if after < _FEW:
        columns, weights = _by_number(columns, weights, after)
        length, rows, after = length * after, rows * after, 1
    places = map(address, (x, columns, weights, y))
    if after == 1:
        size = max(1, _BLOCK // max(1, rows))
        _LAST_AXIS(-(-before // size), *places, entries, length, rows, before, size)
    else:
        total, size = before * rows, max(1, _BLOCK // after)
        _OTHER_AXIS(-(-total // size), *places, entries, length, rows, after, total, size)
    return y


def _along_two(x: Array, place: int, row_columns: Array, row_weights: Array, columns: Array, weights: Array) -> Array:
    """Multiply along this axis and the next one, in one pass over memory."""
    (row_entries, rows), (entries, wide) = row_columns.shape, columns.shape
    height, width, after = x.shape[place], x.shape[place + 1], math.prod(x.shape[place + 2 :])
    total = math.prod(x.shape[:place]) * rows
    y = np.empty((*x.shape[:place], rows, wide, *x.shape[place + 2 :]), np.float32)
    size = max(1, _BLOCK // max(1, wide * after))
    if after < _FEW:
        columns, weights = _by_number(columns, weights, after)
        places = map(address, (x, row_columns, row_weights, columns, weights, y))
        _CHOSEN_ROWS(-(-total // size), *places, height, rows, entries, width * after, wide * after, total, size)
    else:
        places = map(address, (x, row_columns, row_weights, columns, weights, y))
        _PIXELS(-(-total // size), *places, row_entries, height, rows, entries, width, wide, after, total, size)
    return y


def _by_number(columns: Array, weights: Array, after: int) -> tuple[Array, Array]:
    """The matrix for an axis whose elements are `after` numbers, as one for single numbers."""
    entries = len(columns)
    single = columns[..., None] * after + np.arange(after)
    return single.reshape(entries, -1), np.repeat(weights, after, axis=-1)
