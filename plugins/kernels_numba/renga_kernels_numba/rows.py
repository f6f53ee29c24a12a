"""Lists of arrays for loops that do all parameters of an optimizer in one call."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from renga_backend_numpy.arrays import address
from renga_backend_numpy.huge_pages import HugePages
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import ELEMENTS

__all__ = ["Table", "run_rows"]

_LARGE = (16 << 20) // (4 * ELEMENTS)  # pieces of all lists: more than the caches of processors hold
_MOST_SETTLED = 64  # gradients may be at other addresses in each step

_huge_pages = HugePages()
_settled: set[int] = set()


class Table:
    """The table of `renga_kernels_numba.loops.rows`.

    Args:
        lists: Of arrays that `lie_alike`, row by row; row *i* is element *i* of each list.
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

    def key(self) -> int:
        """A number that differs, most likely, if one of the arrays is elsewhere."""
        return hash(self._numbers.tobytes())


def run_rows(loop: Loop, lists: Sequence[Sequence[Array]], *numbers: float) -> None:
    """Run a loop over all rows.

    Args:
        loop: Its arguments are the table, the number of rows, then `numbers`.
        lists: As in `Table`.
        numbers: Further arguments.
    """
    table = Table(lists)
    if table.pieces * len(lists) >= _LARGE:
        _use_huge_pages(table, lists)
    loop(table.pieces, table.address, table.rows, *numbers)


def _use_huge_pages(table: Table, lists: Sequence[Sequence[Array]]) -> None:
    """Move the arrays into huge pages, a part in each call, until those at these addresses are done."""
    key = table.key()
    if key not in _settled and len(_settled) < _MOST_SETTLED:
        blocks = [(address(each), each.nbytes) for row in lists for each in row]
        if _huge_pages.move(blocks):
            _settled.add(key)
