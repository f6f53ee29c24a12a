"""Transforms of points, to match transforms of the picture. They never change their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.utils.checks import as_size, require_points

__all__ = ["flip_point", "resize_point", "translate_point"]

Host = np.ndarray[Any, Any]


def flip_point(point: Host, size: tuple[int, int], y_flip: bool = False, x_flip: bool = False) -> Host:
    """Mirror points, to match a mirrored picture. The upper edge, y = 0, becomes the lower edge, y = H.

    Args:
        point: Points ``(R, K, 2)``: y, x.
        size: Height and width of the picture.
        y_flip: Mirror top and bottom.
        x_flip: Mirror left and right.

    Returns:
        Points ``(R, K, 2)``.

    Raises:
        InvalidType: `point` is not an array of points.

    >>> import numpy as np
    >>> flip_point(np.array([[[10.0, 20.0]]]), (40, 60), x_flip=True).shape
    (1, 1, 2)
    """
    require_points("flip_point", "point", point)
    height, width = as_size("flip_point", "size", size)
    flipped = point.copy()
    if y_flip:
        flipped[:, :, 0] = height - point[:, :, 0]
    if x_flip:
        flipped[:, :, 1] = width - point[:, :, 1]
    return flipped


def resize_point(point: Host, in_size: tuple[float, float], out_size: tuple[float, float]) -> Host:
    """Resize points, to match a resized picture.

    Args:
        point: Points ``(R, K, 2)``: y, x.
        in_size: Height and width of the picture before.
        out_size: Height and width after.

    Returns:
        Points ``(R, K, 2)`` of the same dtype.

    Raises:
        InvalidType: `point` is not an array of points.

    >>> import numpy as np
    >>> resize_point(np.array([[[10.0, 20.0]]]), (40, 60), (80, 120)).tolist()
    [[[20.0, 40.0]]]
    """
    require_points("resize_point", "point", point)
    scale = np.array([out_size[0] / in_size[0], out_size[1] / in_size[1]])
    resized: Host = (point * scale).astype(point.dtype)
    return resized


def translate_point(point: Host, y_offset: float = 0, x_offset: float = 0) -> Host:
    """Move points down by `y_offset` and right by `x_offset`.

    Args:
        point: Points ``(R, K, 2)``: y, x.
        y_offset, x_offset: Pixels.

    Returns:
        Points ``(R, K, 2)`` of the same dtype.

    Raises:
        InvalidType: `point` is not an array of points.

    >>> import numpy as np
    >>> translate_point(np.array([[[10.0, 20.0]]]), y_offset=5).tolist()
    [[[15.0, 20.0]]]
    """
    require_points("translate_point", "point", point)
    moved: Host = (point + np.array([y_offset, x_offset])).astype(point.dtype)
    return moved
