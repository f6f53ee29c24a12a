"""What the loaders of image data sets share: the form in which a user gets images and labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.configuration import config
from renga_data.datasets.tuple_dataset import TupleDataset

__all__ = ["as_dataset", "as_floats", "as_rgb"]


def as_floats(images: np.ndarray[Any, Any], white: int, scale: float, dtype: Any) -> np.ndarray[Any, Any]:
    """Return images of integers from 0 to `white` as numbers from 0 to `scale`.

    Args:
        images: Integers.
        white: The largest value that a pixel can have.
        scale: What it becomes.
        dtype: Of the result; None is ``config.dtype``.

    Raises:
        ValueError: `dtype` is not one of floating-point numbers.
    """
    dtype = np.dtype(config.dtype if dtype is None else dtype)
    if dtype.kind in "biu":
        raise ValueError(f"dtype must be one of floating-point numbers, not {dtype}")
    result = images.astype(dtype)
    result *= scale / white
    return result


def as_rgb(images: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Repeat the only channel of images of shape (N, 1, H, W): (N, 3, H, W)."""
    return np.repeat(images, 3, axis=1)


def as_dataset(
    images: np.ndarray[Any, Any], labels: np.ndarray[Any, Any], withlabel: bool, label_dtype: Any
) -> TupleDataset | np.ndarray[Any, Any]:
    """Return pairs (image, label), or, without labels, the images alone."""
    return TupleDataset(images, labels.astype(label_dtype)) if withlabel else images
