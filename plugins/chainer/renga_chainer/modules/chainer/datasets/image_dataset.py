"""``chainer.datasets.image_dataset``: besides Renga's data sets."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

__all__ = ["available"]

available = importlib.util.find_spec("PIL") is not None
"""Whether images can be read: Pillow is installed."""


def _read_image_as_array(path: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """An image ``(H, W)`` or ``(H, W, C)``."""
    from PIL import Image

    with Image.open(path) as image:
        return np.asarray(image, dtype=dtype)
