"""Transforms of boxes, to match transforms of the picture. They never change their arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_cv.utils.checks import as_size, require_boxes

__all__ = ["crop_bbox", "flip_bbox", "resize_bbox", "rotate_bbox", "translate_bbox"]

Host = np.ndarray[Any, Any]


def crop_bbox(
    bbox: Host,
    y_slice: slice | None = None,
    x_slice: slice | None = None,
    allow_outside_center: bool = True,
    return_param: bool = False,
) -> Any:
    """Move boxes to match a crop of the picture; clip them, and drop boxes outside.

    Args:
        bbox: Boxes ``(R, 4)``.
        y_slice, x_slice: The crop, as `random_crop` returns it; None: the whole axis.
        allow_outside_center: Keep boxes whose centre lies outside the crop.
        return_param: Also return a dictionary. ``index``: which boxes are kept, ``(S,)``; ``truncated_index``: which of
            the kept ones were clipped.

    Returns:
        Boxes ``(S, 4)``, relative to the corner of the crop; with `return_param`, a pair.

    Raises:
        InvalidType: `bbox` is not an array of boxes.
        ValueError: A slice has a step, or counts from the end.

    >>> import numpy as np
    >>> crop_bbox(np.array([[0.0, 10.0, 20.0, 30.0]]), slice(5, 40), slice(0, 25)).tolist()
    [[0.0, 10.0, 15.0, 25.0]]
    """
    require_boxes("crop_bbox", "bbox", bbox)
    (top, bottom), (left, right) = _bounds("y_slice", y_slice), _bounds("x_slice", x_slice)
    start, end = np.array([top, left]), np.array([bottom, right])
    keep: Any = np.ones(len(bbox), bool)
    if not allow_outside_center:
        center = (bbox[:, :2] + bbox[:, 2:]) / 2
        keep = ((start <= center) & (center < end)).all(axis=1)
    clipped = np.concatenate([np.maximum(bbox[:, :2], start), np.minimum(bbox[:, 2:], end)], axis=1)
    keep &= (clipped[:, :2] < clipped[:, 2:]).all(axis=1)
    cropped = (clipped[keep] - np.tile(start, 2)).astype(bbox.dtype)
    if not return_param:
        return cropped
    truncated = (clipped[keep] != bbox[keep]).any(axis=1)
    return cropped, {"index": np.flatnonzero(keep), "truncated_index": np.flatnonzero(truncated)}


def flip_bbox(bbox: Host, size: tuple[int, int], y_flip: bool = False, x_flip: bool = False) -> Host:
    """Mirror boxes, to match a mirrored picture.

    Args:
        bbox: Boxes ``(R, 4)``.
        size: Height and width of the picture.
        y_flip: Mirror top and bottom.
        x_flip: Mirror left and right.

    Returns:
        Boxes ``(R, 4)``.

    Raises:
        InvalidType: `bbox` is not an array of boxes.

    >>> import numpy as np
    >>> flip_bbox(np.array([[0.0, 0.0, 10.0, 20.0]]), (40, 60), x_flip=True).tolist()
    [[0.0, 40.0, 10.0, 60.0]]
    """
    require_boxes("flip_bbox", "bbox", bbox)
    height, width = as_size("flip_bbox", "size", size)
    flipped = bbox.copy()
    if y_flip:
        flipped[:, [0, 2]] = height - bbox[:, [2, 0]]
    if x_flip:
        flipped[:, [1, 3]] = width - bbox[:, [3, 1]]
    return flipped


def resize_bbox(bbox: Host, in_size: tuple[float, float], out_size: tuple[float, float]) -> Host:
    """Resize boxes, to match a resized picture.

    Args:
        bbox: Boxes ``(R, 4)``.
        in_size: Height and width of the picture before.
        out_size: Height and width after.

    Returns:
        Boxes ``(R, 4)`` of the same dtype.

    Raises:
        InvalidType: `bbox` is not an array of boxes.

    >>> import numpy as np
    >>> resize_bbox(np.array([[0.0, 10.0, 20.0, 30.0]]), (40, 60), (80, 120)).tolist()
    [[0.0, 20.0, 40.0, 60.0]]
    """
    require_boxes("resize_bbox", "bbox", bbox)
    y_scale, x_scale = out_size[0] / in_size[0], out_size[1] / in_size[1]
    resized: Host = (bbox * np.array([y_scale, x_scale] * 2)).astype(bbox.dtype)
    return resized


def rotate_bbox(bbox: Host, angle: float, size: tuple[int, int]) -> Host:
    """Rotate boxes by right angles, to match a rotated picture.

    Args:
        bbox: Boxes ``(R, 4)``.
        angle: Degrees, anticlockwise: a multiple of 90.
        size: Height and width of the picture before.

    Returns:
        Boxes ``(R, 4)``.

    Raises:
        InvalidType: `bbox` is not an array of boxes.
        ValueError: `angle` is not a multiple of 90.

    >>> import numpy as np
    >>> rotate_bbox(np.array([[0.0, 0.0, 10.0, 20.0]]), 90, (40, 60)).shape
    (1, 4)
    """
    require_boxes("rotate_bbox", "bbox", bbox)
    height, width = as_size("rotate_bbox", "size", size)
    if angle % 90:
        raise ValueError(
            f"rotate_bbox: angle is {angle!r}; it must be a multiple of 90: other boxes would not be upright"
        )
    y_min, x_min, y_max, x_max = bbox.T
    turned = {
        0: (y_min, x_min, y_max, x_max),
        1: (width - x_max, y_min, width - x_min, y_max),
        2: (height - y_max, width - x_max, height - y_min, width - x_min),
        3: (x_min, height - y_max, x_max, height - y_min),
    }
    return np.stack(turned[int(angle // 90) % 4], axis=1).astype(bbox.dtype)


def translate_bbox(bbox: Host, y_offset: float = 0, x_offset: float = 0) -> Host:
    """Move boxes down by `y_offset` and right by `x_offset`, as when the picture is put into a larger one.

    Args:
        bbox: Boxes ``(R, 4)``.
        y_offset, x_offset: Pixels.

    Returns:
        Boxes ``(R, 4)`` of the same dtype.

    Raises:
        InvalidType: `bbox` is not an array of boxes.

    >>> import numpy as np
    >>> translate_bbox(np.array([[0.0, 10.0, 20.0, 30.0]]), y_offset=5, x_offset=-5).tolist()
    [[5.0, 5.0, 25.0, 25.0]]
    """
    require_boxes("translate_bbox", "bbox", bbox)
    moved: Host = (bbox + np.array([y_offset, x_offset] * 2)).astype(bbox.dtype)
    return moved


def _bounds(argument: str, part: slice | None) -> tuple[float, float]:
    """Return start and end of a slice; an open end is infinite."""
    if part is None:
        return 0, math.inf
    start, stop = part.start or 0, math.inf if part.stop is None else part.stop
    if part.step not in (None, 1) or start < 0 or stop < 0:
        raise ValueError(f"crop_bbox: {argument} is {part}; it must have no step, and count from the start")
    return start, stop
