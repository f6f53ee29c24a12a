"""Checking and combining selections of rows and columns.

Rows are None for all, a slice, or a list of integers from 0. Internally a slice is a `range`, because a slice of a
range is a range again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["MaskMismatch", "Rows", "as_range", "as_slice", "compose", "key_positions", "number_of", "row_positions"]

Rows = slice | list[int] | None


class MaskMismatch(IndexError, ValueError):
    """A mask has the wrong length: an IndexError as in NumPy, and a ValueError as in Chainer."""


def row_positions(rows: Any, size: int) -> Rows:
    """Check rows that a user requests.

    Args:
        rows: A slice, integers, or a boolean mask: lists or arrays.
        size: Number of rows.

    Raises:
        IndexError: A row does not exist, a mask has another length (`MaskMismatch`), or the type is wrong.
    """
    if rows is None or isinstance(rows, slice):
        return rows
    if np.ndim(rows) != 1:
        raise IndexError(
            f"rows must be a slice, a list of integers or a mask, not {rows!r}; for one example, dataset[i]"
        )
    array = np.asarray(rows)
    if array.dtype == np.bool:
        if len(array) != size:
            raise MaskMismatch(f"a mask of {len(array)} entries does not fit {size} rows")
        array = np.flatnonzero(array)
    elif array.size == 0:
        return []
    elif array.dtype.kind not in "iu":
        raise IndexError(f"rows must be integers or a mask, not {array.dtype}")
    outside = (array < -size) | (array >= size)
    if outside.any():
        raise IndexError(f"row {array[outside][0]} is out of range for {size} rows")
    positions: list[int] = np.where(array < 0, array + size, array).tolist()
    return positions


def key_positions(keys: Sequence[Any], names: tuple[str, ...]) -> tuple[int, ...]:
    """Positions of columns, given by names or numbers.

    Raises:
        KeyError: There is no column of this name.
        IndexError: There is no column of this number.
    """
    positions = []
    for key in keys:
        if isinstance(key, (int, np.integer)):
            if not -len(names) <= key < len(names):
                raise IndexError(f"column {key} is out of range for {len(names)} columns: {', '.join(names)}")
            positions.append(int(key) % len(names))
        elif key in names:
            positions.append(names.index(key))
        else:
            raise KeyError(f"no column {key!r}; there are {', '.join(names)}")
    return tuple(positions)


def compose(outer: Rows, inner: Rows, size: int) -> Rows:
    """Select rows `inner` from the rows `outer` of a data set of `size`."""
    if outer is None or inner is None:
        return outer if inner is None else inner
    if isinstance(outer, slice):
        taken = as_range(outer, size)
        if isinstance(inner, slice):
            return as_slice(taken[inner])
        return [taken[i] for i in inner]
    return outer[inner] if isinstance(inner, slice) else [outer[i] for i in inner]


def number_of(rows: Rows, size: int) -> int:
    """The number of selected rows of `size`."""
    if rows is None:
        return size
    return len(as_range(rows, size)) if isinstance(rows, slice) else len(rows)


def as_range(rows: slice, size: int) -> range:
    """The positions of a slice of `size` rows."""
    return range(size)[rows]


def as_slice(rows: range) -> slice:
    """The slice with these positions."""
    # A stop of -1 would count from the end.
    return slice(rows.start, rows.stop if rows.stop >= 0 else None, rows.step) if rows else slice(0, 0)
