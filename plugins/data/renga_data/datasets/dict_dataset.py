"""`DictDataset`: combines data sets to dictionaries."""

from __future__ import annotations

from typing import Any

from renga_core.dataset import Dataset, DatasetMixin

__all__ = ["DictDataset"]


class DictDataset(DatasetMixin):
    """Example `i` is a dictionary with example `i` of each data set, under the given names.

    Raises:
        ValueError: There is no data set, or their lengths differ.

    Example:
        >>> DictDataset(x=[1, 2, 3], t="abc")[1]
        {'x': 2, 't': 'b'}
    """

    def __init__(self, **datasets: Dataset) -> None:
        if not datasets:
            raise ValueError("a DictDataset needs at least one data set")
        lengths = {name: len(dataset) for name, dataset in datasets.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the data sets of a DictDataset must have the same length, not {lengths}")
        self._datasets = datasets
        self._length = next(iter(lengths.values()))

    def __len__(self) -> int:
        return self._length

    def get_example(self, i: int) -> dict[str, Any]:
        """Return the dictionary of all examples `i`."""
        return {name: dataset[i] for name, dataset in self._datasets.items()}
