"""Packing arrays into one block of memory, so that they are sent together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import get_array_module

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["buckets", "pack", "unpack"]


def buckets(arrays: Sequence[Array], limit: int | None) -> list[list[int]]:
    """Divide arrays, in order, into groups that are sent together.

    Args:
        arrays: The arrays.
        limit: The largest number of bytes in a group; a larger array forms its own group. 0: each array separately.
            None: all in one group.

    Returns:
        The positions of each group's arrays.
    """
    groups: list[list[int]] = []
    room = 0
    for i, array in enumerate(arrays):
        size = math.prod(array.shape) * array.dtype.itemsize
        if groups and (limit is None or size <= room):
            groups[-1].append(i)
            room -= size
        else:
            groups.append([i])
            room = 0 if limit is None else limit - size
    return groups


def pack(arrays: Sequence[Array]) -> list[Array]:
    """Copy arrays into one block per dtype; a single contiguous array of a dtype is not copied.

    Returns:
        A one-dimensional array for each dtype, in the order of first occurrence.
    """
    flats = []
    for positions in _by_dtype(arrays).values():
        flat = [arrays[i].reshape(-1) for i in positions]
        flats.append(flat[0] if len(flat) == 1 else get_array_module(*flat).concatenate(flat))
    return flats


def unpack(flats: Sequence[Array], arrays: Sequence[Array]) -> list[Array]:
    """The reverse of `pack`: views of the blocks in the shapes of `arrays`."""
    found: list[Any] = [None] * len(arrays)
    for flat, positions in zip(flats, _by_dtype(arrays).values(), strict=True):
        for i, begin, end in _places(arrays, positions):
            found[i] = flat[begin:end].reshape(arrays[i].shape)
    return found


def _by_dtype(arrays: Sequence[Array]) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = {}
    for i, array in enumerate(arrays):
        groups.setdefault(array.dtype, []).append(i)
    return groups


def _places(arrays: Sequence[Array], positions: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """The start and end of each array in its block."""
    begin = 0
    for i in positions:
        end = begin + math.prod(arrays[i].shape)
        yield i, begin, end
        begin = end
