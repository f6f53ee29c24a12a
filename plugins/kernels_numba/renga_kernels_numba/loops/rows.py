"""Lists of arrays, as loops over whole optimizers have them: a table, with one row for each parameter.

A row is: where its elements begin if the elements of all rows are numbered one after another, how many there are, and
the addresses of its arrays. A piece is `ELEMENTS` such numbers, and may hold many small rows.
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
        update: A function of the loop; the addresses of the arrays are at ``table[place]`` and behind, and their
            elements from `start` to `stop` are to be computed.
        numbers: A tuple that is handed on.
    """
    first, last = piece * ELEMENTS, (piece + 1) * ELEMENTS
    low, high = 0, rows - 1
    while low < high:  # the last row that begins at or before the piece
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
