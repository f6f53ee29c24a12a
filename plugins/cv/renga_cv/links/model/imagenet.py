"""Networks that were trained on ImageNet: the mean colours to subtract, and the addresses of weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_cv.utils.pretrained import PublishedModel, published

__all__ = ["RESNET_MEAN", "VGG_MEAN", "mean_colour", "trained_on_imagenet"]


def mean_colour(red: float, green: float, blue: float) -> np.ndarray[Any, Any]:
    """A colour to subtract from images ``(3, H, W)``, as float32 ``(3, 1, 1)``."""
    return np.array([red, green, blue], np.float32).reshape(3, 1, 1)


VGG_MEAN = mean_colour(123.68, 116.779, 103.939)
RESNET_MEAN = mean_colour(123.15163084, 115.90288257, 103.0626238)


def trained_on_imagenet(
    file: str, mean: np.ndarray[Any, Any], n_class: int = 1000, cv2: bool = False
) -> Mapping[str, PublishedModel]:
    """The table of weights of a class for which ChainerCV's authors have published one file, under the name
    ``"imagenet"``."""
    return {"imagenet": published(file, overwritable=("mean",), cv2=cv2, n_class=n_class, mean=mean)}
