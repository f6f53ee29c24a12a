"""Checks of images, boxes and points. Each raises AssertionError with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "assert_is_bbox",
    "assert_is_image",
    "assert_is_point",
    "check",
    "check_array",
    "check_labels",
    "check_masks",
    "check_pixel_labels",
]


def check(condition: Any, problem: str) -> None:
    """Raise AssertionError unless `condition` holds, also when Python disables ``assert``."""
    if not condition:
        raise AssertionError(problem)


def check_array(name: str, array: Any, shape: str, axes: int, *dtypes: Any) -> None:
    """Check that `array` is a NumPy array with this number of axes and, if given, one of these dtypes."""
    check(isinstance(array, np.ndarray), f"{name} must be a NumPy array {shape}, not {type(array).__name__}")
    check(array.ndim == axes, f"{name} must have shape {shape}, not {array.shape}")
    names = [np.dtype(dtype).name for dtype in dtypes]
    check(not names or array.dtype.name in names, f"{name} must be {' or '.join(names)}, not {array.dtype}")


def assert_is_image(img: Any, color: bool = True, check_range: bool = True) -> None:
    """Check that `img` is an image: an array ``(3, H, W)``, or ``(1, H, W)`` without `color`.

    Args:
        img: The image to check.
        color: Whether the image must have three channels, or one.
        check_range: Whether values must be from 0 to 255.

    Raises:
        AssertionError: `img` is not such an image.
    """
    channels = 3 if color else 1
    check_array("img", img, f"({channels}, H, W)", 3)
    check(len(img) == channels, f"img must have {channels} channels, not {len(img)}")
    check(0 not in img.shape, f"img must have pixels; its shape is {img.shape}")
    if check_range:
        check((img >= 0).all() and (img <= 255).all(), f"img must be from 0 to 255, not {img.min()} to {img.max()}")


def assert_is_bbox(bbox: Any, size: Any = None) -> None:
    """Check that `bbox` is an array of boxes, float32 ``(R, 4)``, with each end not before the start.

    Args:
        bbox: The boxes to check.
        size: Height and width of the picture; None: boxes may lie anywhere.

    Raises:
        AssertionError: `bbox` is not such an array, or a box leaves the picture.
    """
    check_array("bbox", bbox, "(R, 4)", 2, np.float32)
    check(bbox.shape[1] == 4, f"bbox must have shape (R, 4), not {bbox.shape}")
    check((bbox[:, :2] <= bbox[:, 2:]).all(), "bbox must be y_min, x_min, y_max, x_max; a box ends before it starts")
    if size is not None:
        inside = (bbox[:, :2] >= 0).all() and (bbox[:, 2:] <= np.array(size)).all()
        check(inside, f"bbox must lie in a picture of {size[0]} x {size[1]} pixels")


def assert_is_point(point: Any, visible: Any = None, size: Any = None, n_point: int | None = None) -> None:
    """Check that `point` is float32 ``(R, K, 2)``, and `visible` is bool ``(R, K)``.

    Args:
        point: The points to check.
        visible: Whether each point is visible; None: all are.
        size: Height and width of the picture; None: points may lie anywhere.
        n_point: The number `K`, if known.

    Raises:
        AssertionError: The arrays have another form, or a visible point lies outside the picture.
    """
    check_array("point", point, "(R, K, 2)", 3, np.float32)
    check(point.shape[2] == 2, f"point must have shape (R, K, 2), not {point.shape}")
    check(
        n_point in (None, point.shape[1]), f"point must have {n_point} points for each instance, not {point.shape[1]}"
    )
    if visible is not None:
        check_array("visible", visible, "(R, K)", 2, np.bool_)
        check(visible.shape == point.shape[:2], f"visible must have shape {point.shape[:2]}, not {visible.shape}")
    if size is not None:
        seen = point.reshape(-1, 2) if visible is None else point[visible]
        inside = (seen >= 0).all() and (seen <= np.array(size)).all()
        check(inside, f"visible points must lie in a picture of {size[0]} x {size[1]} pixels")


def check_labels(name: str, label: Any, n_class: int, number: int) -> None:
    """Check that `label` is int32 ``(R,)``, a class for each box or mask."""
    check_array(name, label, "(R,)", 1, np.int32)
    check(len(label) == number, f"{name} must have {number} elements, one for each instance, not {len(label)}")
    check((label >= 0).all() and (label < n_class).all(), f"{name} must be from 0 to {n_class - 1}")


def check_masks(name: str, mask: Any, size: Any) -> None:
    """Check that `mask` is bool ``(R, H, W)``, with this height and width."""
    check_array(name, mask, "(R, H, W)", 3, np.bool_)
    check(mask.shape[1:] == tuple(size), f"{name} must be of the picture's size {tuple(size)}, not {mask.shape[1:]}")


def check_pixel_labels(name: str, label: Any, n_class: int, size: Any) -> None:
    """Check that `label` is int32 ``(H, W)``, a class or -1 for each pixel."""
    check_array(name, label, "(H, W)", 2, np.int32)
    check(label.shape == tuple(size), f"{name} must be of the picture's size {tuple(size)}, not {label.shape}")
    check((label >= -1).all() and (label < n_class).all(), f"{name} must be from -1 to {n_class - 1}")
