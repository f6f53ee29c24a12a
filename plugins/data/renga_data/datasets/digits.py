"""Handwritten digits that come with Renga: a real data set that needs no network."""

from __future__ import annotations

import math
from importlib.resources import files
from typing import Any

import numpy as np

from renga_data.datasets.images import as_dataset, as_floats
from renga_data.datasets.tuple_dataset import TupleDataset
from renga_data.preprocessing.image import ImagePreprocessing
from renga_data.preprocessing.split import Split

__all__ = ["get_digits"]

_WHITE = 16
_SHAPES = {1: (64,), 2: (8, 8), 3: (1, 8, 8)}


def get_digits(
    withlabel: bool = True,
    ndim: int = 1,
    scale: float = 1.0,
    dtype: Any = None,
    label_dtype: Any = np.int32,
    *,
    test_ratio: float = 0.2,
) -> tuple[TupleDataset | np.ndarray[Any, Any], TupleDataset | np.ndarray[Any, Any]]:
    """Return (train, test) sets of 1797 handwritten digits of 8 × 8 pixels: 1437 for training, 360 for testing.

    The split is fixed and keeps the proportions of the classes: sorted by class, and within a class in the original
    order, every fifth digit is for testing. Both sets contain digits of all 13 writers.

    Args:
        withlabel: Examples are pairs (image, label); otherwise the sets are arrays of images.
        ndim: Shape of an image: 1 for (64,), 2 for (8, 8), 3 for (1, 8, 8).
        scale: Value of the darkest pixel; paper is 0.
        dtype: Dtype of the images, floating. Default: ``config.dtype``.
        label_dtype: Dtype of the labels.
        test_ratio: Fraction of the digits for testing, between 0 and 1.

    Raises:
        ValueError: `ndim`, `dtype` or `test_ratio` is invalid.

    Source: E. Alpaydin and C. Kaynak, *Optical Recognition of Handwritten Digits* (test part), UCI Machine Learning
    Repository, 1998, https://doi.org/10.24432/C50P49; CC BY 4.0. See digits.md beside this file.

    >>> train, test = get_digits()
    >>> len(train) + len(test), train[0][0].shape
    (1797, (64,))
    """
    if ndim not in _SHAPES:
        raise ValueError(f"ndim must be 1, 2 or 3, not {ndim}")
    if not 0 < test_ratio < 1:
        raise ValueError(f"test_ratio must be between 0 and 1, not {test_ratio}")
    with files(__package__).joinpath("digits.npz").open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        images, labels = arrays["images"], arrays["labels"]
    images = as_floats(images, _WHITE, scale, dtype).reshape(-1, *_SHAPES[ndim])
    for_test = _spread_over_classes(labels, test_ratio)
    train, test = (as_dataset(images[mask], labels[mask], withlabel, label_dtype) for mask in (~for_test, for_test))
    pixel = (1 / scale,) if scale else (1.0,)
    preprocessing = ImagePreprocessing(
        (8, 8), 1, (0.0,), pixel, invert=True, shape=_SHAPES[ndim], classes=tuple("0123456789")
    )
    return Split(train, test, preprocessing)


def _spread_over_classes(labels: np.ndarray[Any, Any], ratio: float) -> np.ndarray[Any, Any]:
    """A mask of a fraction of the examples, evenly spaced in the order of the classes, including the first."""
    by_class = np.argsort(labels, kind="stable")
    steps = np.arange(math.ceil(ratio * len(labels))) / ratio
    mask = np.zeros(len(labels), bool)
    # 3 / 0.2 is slightly less than 15.
    mask[by_class[np.floor(steps + 1e-6).astype(int)]] = True
    return mask
