"""Lists of arrays for loops that do all parameters of an optimizer in one call."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from renga_core.backend import Array
from renga_kernels_numba.arrays import address
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import ELEMENTS

__all__ = ["lie_alike", "run_rows"]

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


def run_rows(loop: Loop, lists: Sequence[Sequence[Array]], *numbers: float) -> None:
    """Run a loop over all rows; row *i* is element *i* of each list.

    Args:
        loop: Its arguments are the table of `renga_kernels_numba.loops.rows`, the number of rows, then `numbers`.
        lists: Of arrays for which `lie_alike` holds row by row.
        numbers: Further arguments.
    """
    table, begin = array("q"), 0
    for row in zip(*lists, strict=True):
        size = row[0].size
        table.extend([begin, size, *map(address, row)])
        begin += size
    loop(-(-begin // ELEMENTS), table.buffer_info()[0], len(lists[0]), *numbers)
