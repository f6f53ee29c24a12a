"""Gradient of looking up rows of a matrix by number."""

from __future__ import annotations

from renga_kernels_numba.loops.intrinsics import Floats, Longs, loop

__all__ = ["gradient"]


@loop
def gradient(
    piece: int,
    ids: Longs,
    gy: Floats,
    gW: Floats,
    outside: Longs,
    count: int,
    rows: int,
    columns: int,
    width: int,
    ignore: int,
    ignored: int,
) -> None:
    """Add each row of `gy` to the row of `gW` that its number names, in the order of the numbers.

    Args:
        piece: Which `width` of the columns.
        ids: Numbers, `count` of them; negative ones count from the end.
        gy: ``(count, columns)``.
        gW: Zeros ``(rows, columns)``.
        outside: Set to 1 if a number is out of range.
        count, rows, columns: Sizes.
        width: Columns of a piece.
        ignore: Whether to leave out the number `ignored`.
        ignored: That number.
    """
    first = piece * width
    stop = min(first + width, columns)
    for k in range(count):
        row = ids[k]
        if ignore == 1 and row == ignored:
            continue
        if row < 0:
            row += rows
        if row < 0 or row >= rows:
            outside[0] = 1
            continue
        for c in range(first, stop):
            gW[row * columns + c] += gy[k * columns + c]
