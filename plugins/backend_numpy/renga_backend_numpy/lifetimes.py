"""Offsets in one piece of memory for arrays that are needed for some steps only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Needed", "packed"]

_ALIGNMENT = 64
"""Bytes: a line of the processor's cache."""


@dataclass(frozen=True)
class Needed:
    """Memory that is needed for some steps.

    Attributes:
        size: Size in bytes.
        first, last: First and last step that need it.
    """

    size: int
    first: int
    last: int


def packed(pieces: Sequence[Needed]) -> tuple[list[int], int]:
    """Return the offset of each piece, and the total number of bytes.

    Pieces are placed by decreasing size, each at the lowest offset that is free during its steps.
    """
    begins = [0] * len(pieces)
    placed: list[int] = []
    for number in sorted(range(len(pieces)), key=lambda n: -pieces[n].size):
        piece = pieces[number]
        begin = 0
        for other in sorted(placed, key=begins.__getitem__):
            taken = pieces[other]
            if taken.last < piece.first or piece.last < taken.first:
                continue
            if begin + piece.size <= begins[other]:
                break
            begin = max(begin, begins[other] + taken.size)
            begin += -begin % _ALIGNMENT
        begins[number] = begin
        placed.append(number)
    return begins, max((begin + piece.size for begin, piece in zip(begins, pieces, strict=True)), default=0)
