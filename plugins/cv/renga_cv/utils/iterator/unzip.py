"""An iterator of tuples as a tuple of iterators."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Self

__all__ = ["unzip"]


def unzip(iterable: Iterable[tuple[Any, ...]]) -> tuple[Iterator[Any], ...]:
    """Make of an iterable of tuples an iterator for each of their places; the reverse of `zip`.

    A tuple is fetched when an iterator needs it, except for the first, which says how many places there are. What other
    iterators have not read yet is kept for them. So delete an iterator that is not going to be read.

    Args:
        iterable: Tuples of the same length.

    Returns:
        An iterator for each place; no iterators if there are no tuples.

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
    """The tuples, and the iterators that wait for what is in them. It does not keep the iterators alive."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self._readers: list[weakref.ref[_Column]] = []

    def columns(self) -> list[_Column]:
        """Fetch the first tuple, and return an iterator for each place of it."""
        first = next(self._rows, ())
        columns = [_Column(self, value) for value in first]
        self._readers = [weakref.ref(column) for column in columns]
        return columns

    def fetch(self) -> None:
        """Fetch a tuple, and hand out what is in it. Raises StopIteration after the last one."""
        row = next(self._rows)
        if len(row) != len(self._readers):
            raise ValueError(f"unzip: a tuple has {len(row)} elements, the first has {len(self._readers)}")
        for reader, value in zip(self._readers, row, strict=True):
            column = reader()
            if column is not None:
                column.waiting.append(value)


class _Column:
    """What is in one place of each tuple."""

    def __init__(self, rows: _Rows, first: Any) -> None:
        self._rows = rows
        self.waiting = deque([first])

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if not self.waiting:
            self._rows.fetch()
        return self.waiting.popleft()
