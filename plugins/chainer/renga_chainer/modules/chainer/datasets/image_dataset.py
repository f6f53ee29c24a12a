"""``chainer.datasets.image_dataset``: names that Renga lacks."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

__all__ = ["available"]

available = importlib.util.find_spec("PIL") is not None
"""Whether Pillow is installed, so that images can be read."""


def _read_image_as_array(path: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """Read an image ``(H, W)`` or ``(H, W, C)``."""
    from PIL import Image

    with Image.open(path) as image:
        return np.asarray(image, dtype=dtype)
