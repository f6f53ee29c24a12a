"""One piece of memory for all arrays of a plan: arrays that are not needed at the same time share memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Needed", "empty_images", "laid", "packed"]

Host = np.ndarray[Any, Any]

_ALIGNMENT = 64


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


def empty_images(shape: tuple[int, ...], dtype: Any) -> Host:
    """New images with their channels last in memory."""
    last = np.empty((shape[0], *shape[2:], shape[1]), dtype)
    return last.transpose(0, len(shape) - 1, *range(1, len(shape) - 1))


def laid(memory: Host, begin: int, like: Host) -> Host:
    """An array in memory that looks like another."""
    return np.ndarray(like.shape, like.dtype, memory, begin, like.strides)
