"""Checks of images, boxes and points. Each raises AssertionError, which says what is wrong."""

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
    """Raise AssertionError unless `condition` holds; also where Python runs without ``assert``."""
    if not condition:
        raise AssertionError(problem)


def check_array(name: str, array: Any, shape: str, axes: int, *dtypes: Any) -> None:
    """`array` is a NumPy array with so many axes, and of one of some dtypes if any are given."""
    check(isinstance(array, np.ndarray), f"{name} must be a NumPy array {shape}, not {type(array).__name__}")
    check(array.ndim == axes, f"{name} must have shape {shape}, not {array.shape}")
    names = [np.dtype(dtype).name for dtype in dtypes]
    check(not names or array.dtype.name in names, f"{name} must be {' or '.join(names)}, not {array.dtype}")


def assert_is_image(img: Any, color: bool = True, check_range: bool = True) -> None:
    """`img` is an image: an array ``(3, H, W)``, or ``(1, H, W)`` without `color`.

    Args:
        img: What is checked.
        color: Whether it is to have three channels, or one.
        check_range: Whether its values are to be from 0 to 255.

    Raises:
        AssertionError: It is not.
    """
    channels = 3 if color else 1
    check_array("img", img, f"({channels}, H, W)", 3)
    check(len(img) == channels, f"img must have {channels} channels, not {len(img)}")
    check(0 not in img.shape, f"img must have pixels; its shape is {img.shape}")
    if check_range:
        check((img >= 0).all() and (img <= 255).all(), f"img must be from 0 to 255, not {img.min()} to {img.max()}")


def assert_is_bbox(bbox: Any, size: Any = None) -> None:
    """`bbox` is an array of boxes, float32 ``(R, 4)``, each of which ends after it starts.

    Args:
        bbox: What is checked.
        size: Height and width of the picture that they lie in, if they do.

    Raises:
        AssertionError: It is not, or a box leads out of the picture.
    """
    check_array("bbox", bbox, "(R, 4)", 2, np.float32)
    check(bbox.shape[1] == 4, f"bbox must have shape (R, 4), not {bbox.shape}")
    check((bbox[:, :2] <= bbox[:, 2:]).all(), "bbox must be y_min, x_min, y_max, x_max; a box ends before it starts")
    if size is not None:
        inside = (bbox[:, :2] >= 0).all() and (bbox[:, 2:] <= np.array(size)).all()
        check(inside, f"bbox must lie in a picture of {size[0]} x {size[1]} pixels")


def assert_is_point(point: Any, visible: Any = None, size: Any = None, n_point: int | None = None) -> None:
    """`point` is an array of points, float32 ``(R, K, 2)``, and `visible` one of booleans, ``(R, K)``.

    Args:
        point: What is checked.
        visible: Which of the points are to be seen; None: all.
        size: Height and width of the picture that the visible points lie in, if they do.
        n_point: The number `K`, if it is known.

    Raises:
        AssertionError: They are not, or a visible point lies outside of the picture.
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
    """`label` holds a class for each of so many boxes or masks: int32 ``(R,)``."""
    check_array(name, label, "(R,)", 1, np.int32)
    check(len(label) == number, f"{name} must have {number} elements, one for each instance, not {len(label)}")
    check((label >= 0).all() and (label < n_class).all(), f"{name} must be from 0 to {n_class - 1}")


def check_masks(name: str, mask: Any, size: Any) -> None:
    """`mask` is an array of masks of a picture of this height and width: bool ``(R, H, W)``."""
    check_array(name, mask, "(R, H, W)", 3, np.bool_)
    check(mask.shape[1:] == tuple(size), f"{name} must be of the picture's size {tuple(size)}, not {mask.shape[1:]}")


def check_pixel_labels(name: str, label: Any, n_class: int, size: Any) -> None:
    """`label` holds a class for each pixel, or -1: int32 ``(H, W)``."""
    check_array(name, label, "(H, W)", 2, np.int32)
    check(label.shape == tuple(size), f"{name} must be of the picture's size {tuple(size)}, not {label.shape}")
    check((label >= -1).all() and (label < n_class).all(), f"{name} must be from -1 to {n_class - 1}")
