"""Checks of arguments that functions on images, boxes and points share."""

from __future__ import annotations

from typing import Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array, require_array
from renga_core.integers import as_ints

__all__ = ["as_size", "require_boxes", "require_image", "require_masks", "require_points"]


def require_boxes(function: str, argument: str, boxes: Any) -> None:
    """Raise InvalidType if this is not an array of boxes.

    Raises:
        InvalidType: `boxes` is not an array of numbers of shape ``(R, 4)``.
    """
    require_array(function, argument, boxes)
    if boxes.ndim != 2 or boxes.shape[1] != 4 or boxes.dtype.kind not in "fiu":
        raise InvalidType(function, argument, "boxes (R, 4): y_min, x_min, y_max, x_max", describe_array(boxes))


def require_masks(function: str, argument: str, masks: Any) -> None:
    """Raise InvalidType if this is not an array of masks.

    Raises:
        InvalidType: `masks` is not an array of booleans of shape ``(R, H, W)``.
    """
    require_array(function, argument, masks)
    if masks.ndim != 3 or masks.dtype.kind != "b":
        raise InvalidType(function, argument, "masks (R, H, W) of booleans", describe_array(masks))


def require_points(function: str, argument: str, points: Any) -> None:
    """Raise InvalidType if this is not an array of points.

    Raises:
        InvalidType: `points` is not an array of numbers of shape ``(R, K, 2)``.
    """
    require_array(function, argument, points)
    if points.ndim != 3 or points.shape[2] != 2 or points.dtype.kind not in "fiu":
        raise InvalidType(function, argument, "points (R, K, 2): y, x", describe_array(points))


def require_image(function: str, img: Any) -> None:
    """Raise InvalidType if this is not an image.

    Raises:
        InvalidType: `img` is not an array of shape ``(C, H, W)``, or is empty.
    """
    require_array(function, "img", img)
    if img.ndim != 3 or 0 in img.shape:
        raise InvalidType(function, "img", "an image (C, H, W)", describe_array(img))


def as_size(function: str, argument: str, size: Any, least: int = 1) -> tuple[int, int]:
    """Return height and width as a pair of Python integers.

    Raises:
        TypeError: `size` is not a pair of integers.
        ValueError: Height or width is less than `least`.
    """
    try:
        height, width = as_ints(size)
    except (TypeError, ValueError):
        raise TypeError(f"{function}: {argument} must be a pair of integers, (height, width), not {size!r}") from None
    if min(height, width) < least:
        raise ValueError(f"{function}: {argument} is {height} x {width}; each must be at least {least}")
    return height, width
