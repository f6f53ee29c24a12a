"""Data sets one after another."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

from renga_cv.sliceable.keys import Keys
from renga_cv.sliceable.sliceable_dataset import SliceableDataset

__all__ = ["ConcatenatedDataset"]


class ConcatenatedDataset(SliceableDataset):
    """The examples of the first data set, then those of the second, and so on.

    Args:
        datasets: Sliceable data sets with the same keys.

    Raises:
        ValueError: No data set is given, or their keys differ.

    Example:
        >>> from renga_cv.sliceable.tuple_dataset import TupleDataset
        >>> dataset = ConcatenatedDataset(TupleDataset([1, 2], "ab"), TupleDataset([3], "c"))
        >>> dataset[1:]
        [(2, 'b'), (3, 'c')]
    """

    def __init__(self, *datasets: SliceableDataset) -> None:
        if not datasets:
            raise ValueError("a ConcatenatedDataset is made of at least one data set")
        keys = [dataset.keys for dataset in datasets]
        if any(each != keys[0] for each in keys):
            raise ValueError(f"the data sets of a ConcatenatedDataset have the same keys, not {keys}")
        self._datasets = datasets
        self._ends = list(accumulate(len(dataset) for dataset in datasets))

    def __len__(self) -> int:
        return self._ends[-1]

    @property
    def keys(self) -> Keys:
        """The keys of the data sets."""
        return self._datasets[0].keys

    def get_example_by_keys(self, index: int, key_indices: tuple[int, ...]) -> tuple[Any, ...]:
        """Return some elements of an example, from the data set that contains it."""
        which = bisect_right(self._ends, index)
        dataset = self._datasets[which]
        return dataset.get_example_by_keys(index - self._ends[which] + len(dataset), key_indices)
