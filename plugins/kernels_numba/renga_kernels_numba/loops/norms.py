"""Sums of squares of arrays, scaling them, and adding multiples of others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float32

from renga_kernels_numba.loops.intrinsics import Floats, Longs, floats_at, inline, loop, sum_loop
from renga_kernels_numba.loops.pieces import ELEMENTS
from renga_kernels_numba.loops.rows import each_row

__all__ = ["add_multiple", "add_up", "scale", "squares"]


@loop
def squares(piece: int, table: Longs, rows: int, parts: Floats) -> None:
    """The sum of squares of a piece, in float64, into ``parts[piece]``. Arrays of a row: x, and its sum.

    Each row begins at the beginning of a piece.
    """
    each_row(piece, table, rows, 4, _squares, (parts, piece))


@inline
def _squares(table: Longs, place: int, start: int, stop: int, numbers: Any) -> None:
    parts, piece = numbers
    parts[piece] = _sum_of_squares(floats_at(table[place]), start, stop)


@sum_loop
def _sum_of_squares(x: Floats, start: int, stop: int) -> float:
    total = 0.0
    for i in range(start, stop):
        value = np.float64(x[i])
        total += value * value
    return total


@loop
def add_up(piece: int, table: Longs, rows: int, parts: Floats) -> None:
    """The sum of each row: its parts, one after another."""
    for row in range(rows):
        first = table[4 * row] // ELEMENTS
        total = 0.0
        for part in range(first, first + (table[4 * row + 1] + ELEMENTS - 1) // ELEMENTS):
            total += parts[part]
        floats_at(table[4 * row + 3])[0] = float32(total)


@loop
def scale(piece: int, table: Longs, rows: int) -> None:
    """x ← factor·x. Arrays of a row: x, and its factor as an array of one element."""
    each_row(piece, table, rows, 4, _scale, ())


@inline
def _scale(table: Longs, place: int, start: int, stop: int, numbers: Any) -> None:
    x, factor = floats_at(table[place]), floats_at(table[place + 1])[0]
    for i in range(start, stop):
        x[i] *= factor


@loop
def add_multiple(piece: int, table: Longs, rows: int, rate: float) -> None:
    """x ← x + rate·y. Arrays of a row: x, y."""
    each_row(piece, table, rows, 4, _add_multiple, (float32(rate),))


@inline
def _add_multiple(table: Longs, place: int, start: int, stop: int, numbers: Any) -> None:
    x, y = floats_at(table[place]), floats_at(table[place + 1])
    (rate,) = numbers
    for i in range(start, stop):
        x[i] += rate * y[i]
