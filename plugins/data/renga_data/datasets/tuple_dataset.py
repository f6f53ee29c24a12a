"""`TupleDataset`: combines data sets to tuples."""

from __future__ import annotations

from typing import Any

from renga_core.dataset import Dataset, DatasetMixin

__all__ = ["TupleDataset"]


class TupleDataset(DatasetMixin):
    """Example `i` is the tuple of example `i` of each data set (or array, or list).

    Raises:
        ValueError: There is no data set, or their lengths differ.

    Example:
        >>> TupleDataset([1, 2, 3], "abc")[1:]
        [(2, 'b'), (3, 'c')]
    """

    def __init__(self, *datasets: Dataset) -> None:
        if not datasets:
            raise ValueError("a TupleDataset needs at least one data set")
        lengths = [len(dataset) for dataset in datasets]
        if len(set(lengths)) > 1:
            raise ValueError(f"the data sets of a TupleDataset must have the same length, not {lengths}")
        self._datasets = datasets

    def __len__(self) -> int:
        return len(self._datasets[0])

    def get_example(self, i: int) -> tuple[Any, ...]:
        """Return the tuple of all examples `i`."""
        return tuple(dataset[i] for dataset in self._datasets)
