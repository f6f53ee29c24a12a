"""Lists of arrays, for loops over whole optimizers: a table, with one row per parameter.

A row contains the index of its first element in a numbering over all rows, its number of elements, and the addresses of
its arrays. A piece is `ELEMENTS` of these numbers, and may cover many small rows.
"""

from __future__ import annotations

from typing import Any

from renga_kernels_numba.loops.intrinsics import Longs, inline
from renga_kernels_numba.loops.pieces import ELEMENTS

__all__ = ["each_row"]


@inline
def each_row(piece: int, table: Longs, rows: int, width: int, update: Any, numbers: Any) -> None:
    """Call ``update(table, place, start, stop, numbers)`` for the part of each row that belongs to a piece.

    Args:
        piece: Its number.
        table: ``(rows, width)``.
        rows, width: Its shape.
        update: Function that computes elements `start` to `stop`; the addresses of the arrays are at ``table[place]``
            and after.
        numbers: Tuple to pass on.
    """
    first, last = piece * ELEMENTS, (piece + 1) * ELEMENTS
    low, high = 0, rows - 1
    while low < high:  # find the last row that begins at or before the piece
        middle = (low + high + 1) >> 1
        if table[middle * width] <= first:
            low = middle
        else:
            high = middle - 1
    for row in range(low, rows):
        place = row * width
        begin = table[place]
        if begin >= last:
            return
        start = max(first - begin, 0)
        stop = min(last - begin, table[place + 1])
        update(table, place + 2, start, stop, numbers)
