"""Iterate over predictions and ground truth, image by image."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any

import numpy as np

__all__ = ["Each", "checked_label", "checked_score", "mean_of_known", "side_by_side"]

Each = Iterable[Any]
"""One value per image: a list, or a generator that is read once."""

_END = object()


def side_by_side(**images: Each | None) -> Iterator[tuple[Any, ...]]:
    """Iterate over several arguments together, image by image; an argument None gives None each time.

    Raises:
        ValueError: An argument ends before the others.
    """
    iterators = {name: repeat(None) if each is None else iter(each) for name, each in images.items()}
    endless = {name for name, each in images.items() if each is None}
    count = 0
    while True:
        found = {name: next(iterator, _END) for name, iterator in iterators.items()}
        ended = [name for name, item in found.items() if item is _END]
        if ended:
            longer = [name for name in found if name not in ended and name not in endless]
            if longer:
                raise ValueError(
                    f"{', '.join(ended)}: {count} images, {', '.join(longer)}: more; each must have one entry per image"
                )
            return
        yield tuple(found.values())
        count += 1


def checked_label(name: str, label: Any, count: int, image: int) -> Any:
    """Return the labels of an image as an array ``(count,)``. Raises ValueError if invalid or negative."""
    array = np.asarray(label)
    if array.shape != (count,):
        raise ValueError(f"{name} of image {image}: shape {array.shape}; expected ({count},), one for each object")
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0):
        raise ValueError(f"{name} of image {image}: expected classes as integers from 0, not {array}")
    return array


def checked_score(name: str, score: Any, count: int, image: int) -> Any:
    """Return the scores of an image as an array ``(count,)``. Raises ValueError if invalid or NaN."""
    array = np.asarray(score)
    if array.shape != (count,) or np.isnan(array).any():
        raise ValueError(f"{name} of image {image}: expected a number for each of {count} objects, not {array}")
    return array


def mean_of_known(values: Any) -> Any:
    """Return the mean of all numbers but NaN; NaN, without a warning, if there is no number."""
    known = values[~np.isnan(values)]
    return known.mean() if known.size else np.float64(np.nan)
