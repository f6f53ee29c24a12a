"""``chainer.utils.imgproc``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from renga_core.backend import Array

__all__ = ["oversample"]


def oversample(images: Sequence[Array], crop_dims: tuple[int, int]) -> Array:
    """Crop the four corners and the center of images, and add mirrored copies.

    Args:
        images: NumPy arrays ``(C, H, W)``.
        crop_dims: Height and width of a crop.

    Returns:
        ``(10 · number of images, C, *crop_dims)``.
    """
    height, width = crop_dims
    _, h, w = images[0].shape
    corners = [(y, x) for y in (0, h - height) for x in (0, w - width)]
    center = (int(h / 2 - height / 2), int(w / 2 - width / 2))
    crops = []
    for image in images:
        parts = [image[:, y : y + height, x : x + width] for y, x in [*corners, center]]
        crops += [*parts, *[part[:, :, ::-1] for part in parts]]
    return np.stack(crops)
