"""Pairs of examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import get_backend
from renga_core.dataset import Dataset
from renga_cv.sliceable.getter_dataset import GetterDataset

__all__ = ["SiameseDataset"]


class SiameseDataset(GetterDataset):
    """Random pairs of examples from two data sets; `renga_core.random` draws a new pair at each access.

    An example has the elements ``img_0``, ``label_0``, ``img_1``, ``label_1``.

    Args:
        dataset_0: A data set of pairs (picture, label).
        dataset_1: A second data set, or the same.
        pos_ratio: The fraction of pairs with equal labels, from 0 to 1. None: both are drawn independently.
        length: Number of examples; None: the length of `dataset_0`.
        labels_0: The labels of `dataset_0`, needed for `pos_ratio`. None: read them from the data set once.
        labels_1: The labels of `dataset_1`.

    Raises:
        ValueError: A data set is empty, the numbers of labels and examples differ, `pos_ratio` is not from 0 to 1, or
            the data sets do not contain the pairs it needs.
    """

    def __init__(
        self,
        dataset_0: Dataset,
        dataset_1: Dataset,
        pos_ratio: float | None = None,
        length: int | None = None,
        labels_0: Any = None,
        labels_1: Any = None,
    ) -> None:
        super().__init__()
        if not len(dataset_0) or not len(dataset_1):
            raise ValueError("the data sets of a SiameseDataset must have at least one example")
        self._datasets = (dataset_0, dataset_1)
        self._length = len(dataset_0) if length is None else length
        self._pos_ratio = pos_ratio
        if pos_ratio is not None:
            if not 0 <= pos_ratio <= 1:
                raise ValueError(f"pos_ratio of a SiameseDataset must be from 0 to 1, not {pos_ratio}")
            self._prepare(_labels(dataset_0, labels_0), _labels(dataset_1, labels_1), pos_ratio)
        self.add_getter(("img_0", "label_0", "img_1", "label_1"), self._pair)

    def __len__(self) -> int:
        return self._length

    def _prepare(self, labels_0: Any, labels_1: Any, pos_ratio: float) -> None:
        """Group the second set by label, and find the examples of the first set usable for each kind of pair."""
        self._labels_0 = labels_0
        self._with_label = {label: np.flatnonzero(labels_1 == label) for label in np.unique(labels_1).tolist()}
        counts = [len(self._with_label.get(label, ())) for label in labels_0.tolist()]
        self._labels_1 = labels_1
        self._in_positive = np.flatnonzero(np.array(counts) > 0)
        self._in_negative = np.flatnonzero(np.array(counts) < len(labels_1))
        if pos_ratio > 0 and not self._in_positive.size:
            raise ValueError(f"pos_ratio is {pos_ratio}, but the data sets have no label in common")
        if pos_ratio < 1 and not self._in_negative.size:
            raise ValueError(f"pos_ratio is {pos_ratio}, but all examples of both data sets have the same label")

    def _pair(self, i: int) -> tuple[Any, ...]:
        first, second = self._draw()
        return (*self._datasets[0][first], *self._datasets[1][second])

    def _draw(self) -> tuple[int, int]:
        draw = random.generator(get_backend("numpy"))
        if self._pos_ratio is None:
            first, second = (draw.integers(len(dataset)) for dataset in self._datasets)
        elif draw.random() < self._pos_ratio:
            first = draw.choice(self._in_positive)
            second = draw.choice(self._with_label[self._labels_0[first].item()])
        else:
            first = draw.choice(self._in_negative)
            second = draw.choice(np.flatnonzero(self._labels_1 != self._labels_0[first]))
        return int(first), int(second)


def _labels(dataset: Dataset, given: Any) -> Any:
    labels = np.array([dataset[i][1] for i in range(len(dataset))]) if given is None else np.asarray(given)
    if labels.shape != (len(dataset),):
        raise ValueError(f"labels have shape {labels.shape}, but the data set has {len(dataset)} examples")
    return labels
