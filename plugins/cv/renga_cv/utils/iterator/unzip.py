"""Turn an iterator of tuples into a tuple of iterators."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Self

__all__ = ["unzip"]


def unzip(iterable: Iterable[tuple[Any, ...]]) -> tuple[Iterator[Any], ...]:
    """Return one iterator for each element of the tuples; the reverse of `zip`.

    The first tuple is read at once, later ones when an iterator needs them. Elements are kept until their iterator has
    read them, so delete iterators that you do not read.

    Args:
        iterable: Tuples of the same length.

    Returns:
        A tuple of iterators, one per element; empty if there are no tuples.

    Raises:
        ValueError: From an iterator: a tuple has another length than the first.

    >>> letters, numbers = unzip([("a", 1), ("b", 2)])
    >>> list(letters), list(numbers)
    (['a', 'b'], [1, 2])
    """
    rows = _Rows(iter(iterable))
    columns = rows.columns()
    return tuple(columns)


class _Rows:
    """Holds the tuples and weak references to the iterators that read them."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self._readers: list[weakref.ref[_Column]] = []

    def columns(self) -> list[_Column]:
        """Read the first tuple, and return one iterator for each of its elements."""
        first = next(self._rows, ())
        columns = [_Column(self, value) for value in first]
        self._readers = [weakref.ref(column) for column in columns]
        return columns

    def fetch(self) -> None:
        """Read a tuple, and pass its elements to the iterators. Raises StopIteration after the last one."""
        row = next(self._rows)
        if len(row) != len(self._readers):
            raise ValueError(f"unzip: a tuple has {len(row)} elements, the first has {len(self._readers)}")
        for reader, value in zip(self._readers, row, strict=True):
            column = reader()
            if column is not None:
                column.waiting.append(value)


class _Column:
    """Iterates over one element of each tuple."""

    def __init__(self, rows: _Rows, first: Any) -> None:
        self._rows = rows
        self.waiting = deque([first])

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if not self.waiting:
            self._rows.fetch()
        return self.waiting.popleft()
