"""Multiplies an axis of an array ``(before, length, after)`` by a sparse matrix, to resize images.

The matrix has `entries` numbers in each of its rows: ``columns`` and ``weights``, ``(entries, rows)``.
"""

from __future__ import annotations

from renga_kernels_numba.loops.intrinsics import Floats, Longs, loop

__all__ = ["last_axis", "other_axis"]


@loop
def other_axis(
    piece: int,
    x: Floats,
    columns: Longs,
    weights: Floats,
    y: Floats,
    entries: int,
    length: int,
    rows: int,
    after: int,
    total: int,
    size: int,
) -> None:
    """Sum whole rows of `after` numbers.

    Args:
        piece: Which `size` of the rows of the result.
        x: ``(before, length, after)``.
        columns, weights: The matrix.
        y: ``(before, rows, after)``.
        entries, length, rows, after: Sizes.
        total, size: ``before * rows``, and how many of these are a piece.
    """
    for place in range(piece * size, min(total, (piece + 1) * size)):
        block = place // rows
        row = place - block * rows
        at = place * after
        weight, start = weights[row], (block * length + columns[row]) * after
        for i in range(after):
            y[at + i] = weight * x[start + i]
        for entry in range(1, entries):
            weight = weights[entry * rows + row]
            start = (block * length + columns[entry * rows + row]) * after
            for i in range(after):
                y[at + i] += weight * x[start + i]


@loop
def last_axis(
    piece: int,
    x: Floats,
    columns: Longs,
    weights: Floats,
    y: Floats,
    entries: int,
    length: int,
    rows: int,
    total: int,
    size: int,
) -> None:
    """The same with ``after = 1``: `total` rows ``(length,)`` of x, `size` of them a piece."""
    for block in range(piece * size, min(total, (piece + 1) * size)):
        at, start = block * rows, block * length
        for row in range(rows):
            y[at + row] = weights[row] * x[start + columns[row]]
        for entry in range(1, entries):
            first = entry * rows
            for row in range(rows):
                y[at + row] += weights[first + row] * x[start + columns[first + row]]
