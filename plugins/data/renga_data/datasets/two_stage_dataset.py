"""Data sets whose examples are made in two stages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import get_backend
from renga_core.dataset import DatasetMixin

__all__ = ["TwoStageDataset"]


class TwoStageDataset(DatasetMixin):
    """Base of data sets that read examples one by one, and finish them per batch.

    Threads or processes read examples ahead. What they read should be small, because it is copied between processes:
    for example, an image as bytes instead of floating numbers. The thread that requests a batch finishes it.

    Each example is read with its own random generator. Its seed depends only on the iterator's seed and on the
    example's position in the run. So all iterators give the same batches, with any number of threads or processes.

    A subclass defines ``__len__``, `read_example` and `finish_examples`.
    """

    @abstractmethod
    def read_example(self, i: int, rng: np.random.Generator) -> Any:
        """Read example `i`.

        Args:
            i: The index.
            rng: Random generator.
        """

    @abstractmethod
    def finish_examples(self, read: Sequence[Any]) -> list[Any]:
        """Return the examples of a batch.

        Args:
            read: The results of `read_example`.
        """

    def get_example(self, i: int) -> Any:
        """Return example `i`, with random numbers of `renga_core.random`."""
        rng = random.generator(get_backend("numpy"))
        return self.finish_examples([self.read_example(i, rng)])[0]
