"""`TransformDataset`: applies a function to each example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.dataset import Dataset, DatasetMixin

__all__ = ["TransformDataset"]


class TransformDataset(DatasetMixin):
    """Example `i` is ``transform(dataset[i])``, computed at each request.

    Example:
        >>> TransformDataset([1, 2, 3], lambda x: 10 * x)[2]
        30
    """

    def __init__(self, dataset: Dataset, transform: Callable[[Any], Any]) -> None:
        self._dataset = dataset
        self._transform = transform

    def __len__(self) -> int:
        return len(self._dataset)

    def get_example(self, i: int) -> Any:
        """Return example `i`, transformed."""
        return self._transform(self._dataset[i])
