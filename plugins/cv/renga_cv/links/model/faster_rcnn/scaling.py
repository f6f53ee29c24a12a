"""Resizing of images for detectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.transforms.image.resize import resize

__all__ = ["enlarged_size", "scale_img"]


def scale_img(img: np.ndarray[Any, Any], min_size: int, max_size: int) -> tuple[np.ndarray[Any, Any], float]:
    """Resize an image so that its shorter side is `min_size`, or its longer side `max_size` if it would be longer.

    Args:
        img: Image ``(C, H, W)``.
        min_size: Length of the shorter side, in pixels.
        max_size: Largest length of the longer side.

    Returns:
        Image ``(C, int(H * scale), int(W * scale))``, and the scale.
    """
    _, height, width = img.shape
    scale = min(min_size / min(height, width), max_size / max(height, width))
    return resize(img, enlarged_size((height, width), scale)), scale


def enlarged_size(size: tuple[int, int], scale: float) -> tuple[int, int]:
    """Height and width of an image of `size` that `scale_img` has enlarged by `scale`."""
    # The rounding error of an exact quotient must not remove a pixel.
    return int(size[0] * scale + 1e-6), int(size[1] * scale + 1e-6)
