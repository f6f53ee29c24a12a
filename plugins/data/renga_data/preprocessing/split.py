"""Splitting data into training and test data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.errors import RengaError

__all__ = ["Split", "split_indices"]


class Split(tuple[Any, Any]):
    """The pair (train, test) that a data set function returns, with its preprocessing.

    Attributes:
        preprocessing: How inputs are made from raw values; None if unknown.
    """

    preprocessing: Any

    def __new__(cls, train: Any, test: Any, preprocessing: Any = None) -> Split:
        """Return the pair."""
        pair = super().__new__(cls, (train, test))
        pair.preprocessing = preprocessing
        return pair


def split_indices(
    number: int, test_ratio: float, seed: int, classes: Sequence[int] | None = None
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the indexes of training and test examples, each in ascending order.

    Args:
        number: Number of examples.
        test_ratio: Fraction for testing, between 0 and 1.
        seed: Seed of the choice. The same seed gives the same choice.
        classes: The class of each example; then each class is divided in this ratio, as far as possible.

    Raises:
        RengaError: The ratio is not between 0 and 1, or one of the two parts would be empty.
    """
    if not 0 < test_ratio < 1:
        raise RengaError(f"test_ratio must be between 0 and 1, not {test_ratio}")
    order = np.random.default_rng(seed).permutation(number)
    if classes is not None:
        # Sorted by class, at random within each class, evenly spaced examples are for testing: a share of each class.
        order = order[np.argsort(np.asarray(classes)[order], kind="stable")]
        steps = np.arange(round(number * test_ratio)) / test_ratio
        positions = np.unique(np.minimum((steps + 0.5 / test_ratio).astype(int), max(number - 1, 0)))
        chosen = order[positions]
    else:
        chosen = order[: round(number * test_ratio)]
    mask = np.zeros(number, bool)
    mask[chosen] = True
    if not mask.any() or mask.all():
        raise RengaError(f"{number} examples cannot be divided with test_ratio {test_ratio}: one part would be empty")
    return np.flatnonzero(~mask), np.flatnonzero(mask)
