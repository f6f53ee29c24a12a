"""Sums of squares, scaling, and adding multiples of many arrays, for hooks that change gradients before an update."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from renga_backend_numpy.arrays import address, lie_alike
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.rows import Table, run_rows

__all__ = ["AddMultiple", "Scale", "SumsOfSquares", "supports", "supports_two"]

_SQUARES = Loop("norms:squares", "i8* i8 f8*", alone=8)
_ADD_UP = Loop("norms:add_up", "i8* i8 f8*")
_SCALE = Loop("norms:scale", "i8* i8", alone=8)
_ADD_MULTIPLE = Loop("norms:add_multiple", "i8* i8 f8", alone=8)

_SINGLE = np.dtype(np.float32)


def supports(array: Array, number: Array) -> bool:
    """Whether these are float32 arrays without gaps, the second with one element."""
    return lie_alike(array) and number.dtype == _SINGLE and number.shape == (1,)


def supports_two(array: Array, other: Array, rate: float) -> bool:
    """Whether these are float32 arrays, both in the same order without gaps."""
    return lie_alike(array, other)


class SumsOfSquares:
    """Operation ``sums_of_squares``: sums of pieces in float64, added in their order."""

    @staticmethod
    def forward(arrays: Sequence[Array], sums: Sequence[Array]) -> None:
        """See the reference."""
        table = Table((arrays, sums), rows_begin_pieces=True)
        parts = np.empty(table.pieces, np.float64)
        _SQUARES(table.pieces, table.address, table.rows, address(parts))
        _ADD_UP(1, table.address, table.rows, address(parts))


class Scale:
    """Operation ``scale``."""

    @staticmethod
    def forward(arrays: Sequence[Array], factors: Sequence[Array]) -> None:
        """See the reference."""
        table = Table((arrays, factors))
        _SCALE(table.pieces, table.address, table.rows)


class AddMultiple:
    """Operation ``add_multiple``."""

    @staticmethod
    def forward(arrays: Sequence[Array], others: Sequence[Array], rate: float) -> None:
        """See the reference."""
        run_rows(_ADD_MULTIPLE, (arrays, others), rate)
