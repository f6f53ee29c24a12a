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
    """Base of data sets whose examples are read one by one, and finished a batch at a time.

    Threads or processes read examples ahead of time. What they read should be small, since it is copied from process to
    process: an image as bytes, not as floating-point numbers. The thread that asks for a batch finishes it.

    Each example is read with a random generator of its own, whose seed depends only on the iterator's seed and on the
    example's place in the run. So batches are the same from each iterator, with any number of threads or processes.

    A derived class defines ``__len__``, `read_example` and `finish_examples`.
    """

    @abstractmethod
    def read_example(self, i: int, rng: np.random.Generator) -> Any:
        """Return what is read of example `i`.

        Args:
            i: Its index.
            rng: Where random numbers come from.
        """

    @abstractmethod
    def finish_examples(self, read: Sequence[Any]) -> list[Any]:
        """Return the examples of a batch.

        Args:
            read: What `read_example` returned for each.
        """

    def get_example(self, i: int) -> Any:
        """Return example `i`. Random numbers are those of `renga_core.random`."""
        rng = random.generator(get_backend("numpy"))
        return self.finish_examples([self.read_example(i, rng)])[0]
