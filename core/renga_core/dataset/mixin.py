"""Data sets: examples by index."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

__all__ = ["Dataset", "DatasetMixin"]


class Dataset(Protocol):
    """The protocol of data sets: length and indexing. Lists and arrays are data sets."""

    def __len__(self) -> int:
        """Number of examples."""

    def __getitem__(self, index: Any, /) -> Any:
        """The example with this index, from 0."""


class DatasetMixin:
    """Base class of data sets: define ``__len__`` and `get_example`; indexing uses them.

    ``dataset[3]`` is an example; ``dataset[2:5]``, ``dataset[[0, 4]]`` and ``dataset[mask]`` are lists of examples.
    """

    def __getitem__(self, index: int | np.integer[Any] | slice | Sequence[int] | np.ndarray[Any, Any]) -> Any:
        """Return an example, or a list of examples for a slice, a list or an array of indices, or a boolean mask."""
        if isinstance(index, slice):
            return [self.get_example(i) for i in range(*index.indices(len(self)))]
        if isinstance(index, (int, np.integer)) or np.ndim(index) == 0:
            return self.get_example(operator.index(index))  # type: ignore[arg-type]  # without axes
        return [self.get_example(i) for i in _positions(index, len(self))]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over all examples. Without this method, an IndexError by mistake would silently end a loop."""
        for i in range(len(self)):
            yield self[i]

    def __len__(self) -> int:
        """Number of examples."""
        raise NotImplementedError(f"{type(self).__name__} does not define __len__()")

    def get_example(self, i: int) -> Any:
        """Return example `i`. Raises IndexError if there is no such example."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_example(i)")


def _positions(index: Sequence[int] | np.ndarray[Any, Any], size: int) -> list[int]:
    """Convert a list or array of indices, or a boolean mask, to integers."""
    array = np.asarray(index)
    if array.ndim != 1:
        raise IndexError(f"a list of indices must have one dimension, not shape {array.shape}")
    if array.dtype == np.bool:
        if len(array) != size:
            raise IndexError(f"a mask of {len(array)} entries does not fit a data set of {size} examples")
        array = np.flatnonzero(array)
    elif array.size and array.dtype.kind not in "iu":
        raise IndexError(f"indices must be integers, not {array.dtype}")
    positions: list[int] = array.tolist()
    return positions
