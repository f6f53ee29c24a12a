"""Converting images and labels to the form that a user requests, for loaders of image data sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.configuration import config
from renga_data.datasets.tuple_dataset import TupleDataset

__all__ = ["as_dataset", "as_floats", "as_rgb"]


def as_floats(images: np.ndarray[Any, Any], white: int, scale: float, dtype: Any) -> np.ndarray[Any, Any]:
    """Scale images of integers in [0, `white`] to floating numbers in [0, `scale`].

    Args:
        images: Integers.
        white: The largest possible value of a pixel.
        scale: The value that `white` becomes.
        dtype: Dtype of the result; None: ``config.dtype``.

    Raises:
        ValueError: `dtype` is not floating.
    """
    dtype = np.dtype(config.dtype if dtype is None else dtype)
    if dtype.kind in "biu":
        raise ValueError(f"dtype must be floating, not {dtype}")
    result = images.astype(dtype)
    result *= scale / white
    return result


def as_rgb(images: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Repeat the single channel of images of shape (N, 1, H, W): (N, 3, H, W)."""
    return np.repeat(images, 3, axis=1)


def as_dataset(
    images: np.ndarray[Any, Any], labels: np.ndarray[Any, Any], withlabel: bool, label_dtype: Any
) -> TupleDataset | np.ndarray[Any, Any]:
    """Return pairs (image, label), or the images alone."""
    return TupleDataset(images, labels.astype(label_dtype)) if withlabel else images
