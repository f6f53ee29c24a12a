"""Mixtures of two examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import get_backend
from renga_core.dataset import Dataset, DatasetMixin

__all__ = ["MixUpSoftLabelDataset"]


class MixUpSoftLabelDataset(DatasetMixin):
    """Mixtures of two examples, in a ratio that `renga_core.random` draws at each access.

    An example is a picture, ``ratio * img_0 + (1 - ratio) * img_1``, of the dtype of ``img_0``; and a soft label,
    float32 ``(n_class,)``: `ratio` at the first label, ``1 - ratio`` at the second.

    Args:
        dataset: A data set of ``(img_0, label_0, img_1, label_1)``, such as `SiameseDataset`. The two pictures of an
            example are floating-point arrays of the same shape.
        n_class: Number of classes.
        alpha: The ratio has the distribution Beta(alpha, alpha).

    Source: H. Zhang et al., *mixup: Beyond Empirical Risk Minimization*, 2018.
    """

    def __init__(self, dataset: Dataset, n_class: int, alpha: float = 1.0) -> None:
        self._dataset = dataset
        self._n_class = n_class
        self._alpha = alpha

    def __len__(self) -> int:
        return len(self._dataset)

    def get_example(self, i: int) -> tuple[Any, Any]:
        """Return a mixture. Raises ValueError if the pictures' shapes differ, IndexError if a class is out of range."""
        first, first_label, second, second_label = self._dataset[i]
        if first.shape != second.shape:
            raise ValueError(f"example {i}: pictures to mix must have one shape, not {first.shape} and {second.shape}")
        ratio = random.generator(get_backend("numpy")).beta(self._alpha, self._alpha)
        label = np.zeros(self._n_class, np.float32)
        label[first_label] += ratio
        label[second_label] += 1 - ratio
        return (ratio * first + (1 - ratio) * second).astype(first.dtype), label
