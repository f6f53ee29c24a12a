"""Lists of arrays for loops that do all parameters of an optimizer in one call."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from renga_core.backend import Array
from renga_kernels_numba.arrays import address
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import ELEMENTS

__all__ = ["Table", "lie_alike", "run_rows"]

_SINGLE = np.dtype(np.float32)


def lie_alike(x: Array, *others: Array) -> bool:
    """Whether these are float32 arrays of one shape, all in the same memory order without gaps."""
    shape, strides = x.shape, x.strides
    for one in (x, *others):
        if one.dtype != _SINGLE or one.strides != strides or one.shape != shape or not one.flags.aligned:
            return False
    flags = x.flags
    return bool(flags.c_contiguous or flags.f_contiguous or x.transpose(_order(x)).flags.c_contiguous)


def _order(x: Array) -> list[int]:
    """Its axes as they lie in memory."""
    return sorted(range(x.ndim), key=lambda axis: -x.strides[axis])


class Table:
    """The table of `renga_kernels_numba.loops.rows`.

    Args:
        lists: Of arrays for which `lie_alike` holds row by row; row *i* is element *i* of each list.
        rows_begin_pieces: Whether no piece has elements of two rows.

    Attributes:
        address: Where it lies in memory, while this object lives.
        rows: How many there are.
        pieces: How many there are.
    """

    def __init__(self, lists: Sequence[Sequence[Array]], rows_begin_pieces: bool = False) -> None:
        self._numbers, begin = array("q"), 0
        for row in zip(*lists, strict=True):
            size = row[0].size
            self._numbers.extend([begin, size, *map(address, row)])
            begin += -(-size // ELEMENTS) * ELEMENTS if rows_begin_pieces else size
        self.address = self._numbers.buffer_info()[0]
        self.rows = len(lists[0])
        self.pieces = -(-begin // ELEMENTS)


def run_rows(loop: Loop, lists: Sequence[Sequence[Array]], *numbers: float) -> None:
    """Run a loop over all rows.

    Args:
        loop: Its arguments are the table, the number of rows, then `numbers`.
        lists: As of `Table`.
        numbers: Further arguments.
    """
    table = Table(lists)
    loop(table.pieces, table.address, table.rows, *numbers)
