"""Parts of data sets: splits and folds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from renga_core import random
from renga_core.dataset import Dataset, DatasetMixin

__all__ = [
    "SubDataset",
    "get_cross_validation_datasets",
    "get_cross_validation_datasets_random",
    "split_dataset",
    "split_dataset_n",
    "split_dataset_n_random",
    "split_dataset_random",
]

Order = Sequence[int] | np.ndarray[Any, Any]


class SubDataset(DatasetMixin):
    """Examples `start` to `finish` (exclusive) of a data set, or of a permutation of it.

    Args:
        dataset: The whole data set.
        start: First position.
        finish: Position after the last.
        order: Indexes of all examples; position `i` then means example ``order[i]``.

    Raises:
        ValueError: The positions are outside the data set, or `order` has another length.

    >>> SubDataset([10, 20, 30, 40], 1, 3)[:]
    [20, 30]
    """

    def __init__(self, dataset: Dataset, start: int, finish: int, order: Order | None = None) -> None:
        if not 0 <= start <= finish <= len(dataset):
            raise ValueError(f"positions {start} to {finish} are outside a data set of {len(dataset)} examples")
        if order is not None and len(order) != len(dataset):
            raise ValueError(f"order has {len(order)} indices, but the data set has {len(dataset)} examples")
        self._dataset = dataset
        self._start = start
        self._size = finish - start
        self._order = order

    def __len__(self) -> int:
        return self._size

    def get_example(self, i: int) -> Any:
        """Return example `i` of the part; negative numbers count from its end."""
        if not -self._size <= i < self._size:
            raise IndexError(f"index {i} is out of range for a data set of {self._size} examples")
        position = self._start + i % self._size
        return self._dataset[position if self._order is None else int(self._order[position])]


def split_dataset(dataset: Dataset, split_at: int, order: Order | None = None) -> tuple[SubDataset, SubDataset]:
    """Split a data set in two: the examples before position `split_at`, and the rest.

    Args:
        dataset: The whole data set.
        split_at: Size of the first part.
        order: Indexes of examples; split in this order.

    Raises:
        TypeError: `split_at` is not an integer.
        ValueError: `split_at` is negative or larger than the data set.

    >>> first, rest = split_dataset([1, 2, 3, 4], 3)
    >>> first[:], rest[:]
    ([1, 2, 3], [4])
    """
    if not hasattr(split_at, "__index__"):
        raise TypeError(f"split_at must be an integer, not {split_at!r}")
    size = len(dataset)
    if not 0 <= split_at <= size:
        raise ValueError(f"cannot split a data set of {size} examples at {split_at}")
    return SubDataset(dataset, 0, split_at, order), SubDataset(dataset, split_at, size, order)


def split_dataset_random(dataset: Dataset, first_size: int, seed: int | None = None) -> tuple[SubDataset, SubDataset]:
    """Split a data set in two at random.

    Args:
        dataset: The whole data set.
        first_size: Size of the first part.
        seed: Seed from 0 to 2**32 - 1; the same seed gives the same split. Default: the next one of
            `renga_core.random`.

    >>> first, rest = split_dataset_random([1, 2, 3, 4], 3, seed=0)
    >>> len(first), len(rest)
    (3, 1)
    """
    return split_dataset(dataset, first_size, _permutation(len(dataset), seed))


def split_dataset_n(dataset: Dataset, n: int, order: Order | None = None) -> list[SubDataset]:
    """Split a data set into `n` parts of equal size. Remaining examples are dropped.

    Args:
        dataset: The whole data set.
        n: Number of parts.
        order: Indexes of examples; split in this order.

    >>> [part[:] for part in split_dataset_n([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    size = len(dataset) // n
    return [SubDataset(dataset, size * i, size * (i + 1), order) for i in range(n)]


def split_dataset_n_random(dataset: Dataset, n: int, seed: int | None = None) -> list[SubDataset]:
    """Split a data set into `n` random parts of equal size; `seed` as for `split_dataset_random`.

    >>> [len(part) for part in split_dataset_n_random([1, 2, 3, 4], 2, seed=0)]
    [2, 2]
    """
    return split_dataset_n(dataset, n, _permutation(len(dataset), seed))


def get_cross_validation_datasets(
    dataset: Dataset, n_folds: int, order: Order | None = None
) -> list[tuple[SubDataset, SubDataset]]:
    """Return the pairs (training set, validation set) of a cross validation.

    Each example is in one validation set, and in the training sets of all other pairs. The first pair validates with
    the last examples. A training set starts after the validation set, and wraps around.

    Args:
        dataset: The whole data set.
        n_folds: Number of pairs. Sizes of validation sets differ by at most one.
        order: Indexes of examples; divide in this order.

    >>> [(train[:], test[:]) for train, test in get_cross_validation_datasets([1, 2, 3, 4], 2)]
    [([1, 2], [3, 4]), ([3, 4], [1, 2])]
    """
    size = len(dataset)
    if not 1 <= n_folds <= size:
        raise ValueError(f"n_folds must be 1 to {size} for a data set of {size} examples, not {n_folds}")
    indices = np.arange(size) if order is None else np.asarray(order)
    bounds = [size * i // n_folds for i in range(n_folds + 1)]
    folds = []
    for begin, end in reversed(list(pairwise(bounds))):
        split = np.concatenate([indices[end:], indices[:begin], indices[begin:end]])
        folds.append(split_dataset(dataset, size - (end - begin), split))
    return folds


def get_cross_validation_datasets_random(
    dataset: Dataset, n_folds: int, seed: int | None = None
) -> list[tuple[SubDataset, SubDataset]]:
    """Return the pairs of a random cross validation; `seed` as for `split_dataset_random`.

    >>> [(len(train), len(test)) for train, test in get_cross_validation_datasets_random([1, 2, 3, 4], 2, seed=0)]
    [(2, 2), (2, 2)]
    """
    return get_cross_validation_datasets(dataset, n_folds, _permutation(len(dataset), seed))


def _permutation(size: int, seed: int | None) -> np.ndarray[Any, Any]:
    # NumPy has frozen RandomState: unlike Generator's, its permutations are the same in all versions. If a split
    # changed with an update, test examples could get into the training set.
    return np.random.RandomState(random.spawn_seed() % 2**32 if seed is None else seed).permutation(size)
