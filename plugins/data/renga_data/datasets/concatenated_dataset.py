"""`ConcatenatedDataset`: data sets one after another."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

from renga_core.dataset import Dataset, DatasetMixin

__all__ = ["ConcatenatedDataset"]


class ConcatenatedDataset(DatasetMixin):
    """The examples of the first data set, then those of the second, and so on.

    Example:
        >>> ConcatenatedDataset([1, 2], [3])[:]
        [1, 2, 3]
    """

    def __init__(self, *datasets: Dataset) -> None:
        self._datasets = datasets
        self._ends = list(accumulate(len(dataset) for dataset in datasets))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def get_example(self, i: int) -> Any:
        """Return example `i`; negative numbers count from the end."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} is out of range for a data set of {len(self)} examples")
        i %= len(self)
        which = bisect_right(self._ends, i)
        return self._datasets[which][i - self._ends[which] + len(self._datasets[which])]
