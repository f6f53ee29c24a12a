"""Instance masks: overlap, bounding boxes, resizing."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_cv.transforms.image.resize import scaled_size
from renga_cv.utils.checks import require_boxes, require_masks

__all__ = ["mask_iou", "mask_to_bbox", "resize_mask", "scale_mask"]

Host = np.ndarray[Any, Any]

_PIXELS_AT_A_TIME = 1 << 18  # single precision counts exactly up to 2 ** 24


def mask_iou(mask_a: Array, mask_b: Array) -> Array:
    """Compute the intersection over union of each pair of masks from two arrays.

    Args:
        mask_a: Masks ``(R, H, W)``, booleans.
        mask_b: Masks ``(S, H, W)`` of the same backend.

    Returns:
        Array ``(R, S)``, float32. Empty masks have 0 with all masks.

    Raises:
        InvalidType: An argument is not an array of masks, or the two have different picture sizes.

    >>> import numpy as np
    >>> left, all_ = np.array([[[True, False]]]), np.array([[[True, True]]])
    >>> mask_iou(left, all_).tolist()
    [[0.5]]
    """
    require_masks("mask_iou", "mask_a", mask_a)
    require_masks("mask_iou", "mask_b", mask_b)
    if mask_a.shape[1:] != mask_b.shape[1:]:
        expected = f"masks of the size of mask_a, {mask_a.shape[1]} x {mask_a.shape[2]}"
        raise InvalidType("mask_iou", "mask_b", expected, describe_array(mask_b))
    xp = get_array_module(mask_a)
    pixels = mask_a.shape[1] * mask_a.shape[2]
    a, b = mask_a.reshape(len(mask_a), pixels), mask_b.reshape(len(mask_b), pixels)
    intersection, both = xp.zeros((len(mask_a), len(mask_b)), dtype="float64"), 0.0
    for start in range(0, pixels, _PIXELS_AT_A_TIME):
        part = slice(start, min(start + _PIXELS_AT_A_TIME, pixels))
        in_a, in_b = a[:, part].astype("float32"), b[:, part].astype("float32")
        intersection += in_a @ in_b.T
        both += in_a.sum(axis=1)[:, None].astype("float64") + in_b.sum(axis=1)
    union = both - intersection
    return (intersection / xp.maximum(union, 1)).astype("float32")


def mask_to_bbox(mask: Array) -> Array:
    """Return the smallest box around each mask.

    Args:
        mask: Masks ``(R, H, W)``, booleans.

    Returns:
        Boxes ``(R, 4)``, float32; zeros for an empty mask.

    Raises:
        InvalidType: `mask` is not an array of masks.

    >>> import numpy as np
    >>> mask_to_bbox(np.array([[[False, False, True], [False, True, False]]])).tolist()
    [[0.0, 1.0, 2.0, 3.0]]
    """
    require_masks("mask_to_bbox", "mask", mask)
    xp = get_array_module(mask)
    found, sides = mask.any(axis=(1, 2)), []
    for axis in (2, 1):
        occupied = mask.any(axis=axis)
        # Adds a position that is always occupied, so that argmax finds one in an empty axis.
        last = xp.full((len(mask), 1), True)
        first = xp.argmax(xp.concatenate([occupied, last], axis=1), axis=1)
        from_end = xp.argmax(xp.concatenate([occupied[:, ::-1], last], axis=1), axis=1)
        sides.append((first, occupied.shape[1] - from_end))
    (y_min, y_max), (x_min, x_max) = sides
    bbox = xp.stack([y_min, x_min, y_max, x_max], axis=1).astype("float32")
    return bbox * found[:, None]


def resize_mask(mask: Host, size: tuple[int, int]) -> Host:
    """Resize masks with their picture. Each pixel takes the value under its centre.

    Args:
        mask: Masks ``(R, H, W)``, booleans.
        size: Height and width of the result.

    Returns:
        Masks ``(R, *size)``, booleans.

    Raises:
        InvalidType: `mask` is not an array of masks.
    """
    require_masks("resize_mask", "mask", mask)
    rows, columns = _sources(mask.shape[1:], size)
    return mask[:, rows[:, None], columns]


def scale_mask(mask: Host, bbox: Host, size: int) -> Host:
    """Scale masks with their picture until its shorter edge has length `size`, like `scale`.

    Each pixel takes the value under its centre. Pixels outside the boxes are False.

    Args:
        mask: Masks ``(R, H, W)``, booleans.
        bbox: A box around each mask, ``(R, 4)``, such as `mask_to_bbox` returns.
        size: Length of the shorter edge.

    Returns:
        Masks ``(R, H', W')``, booleans.

    Raises:
        InvalidType: `mask` is not an array of masks, or `bbox` does not have one box for each mask.
        ValueError: `size` is not positive.
    """
    require_masks("scale_mask", "mask", mask)
    require_boxes("scale_mask", "bbox", bbox)
    if len(bbox) != len(mask) or 0 in mask.shape[1:]:
        expected = f"a box for each mask ({len(mask)}), of pictures that have pixels: {describe_array(mask)}"
        raise InvalidType("scale_mask", "bbox", expected, describe_array(bbox))
    out_size = scaled_size(mask.shape[1:], size)
    scaled = np.zeros((len(mask), *out_size), bool)
    rows, columns = _sources(mask.shape[1:], out_size)
    for to, of, (y_min, x_min, y_max, x_max) in zip(scaled, mask, bbox, strict=True):
        y, x = slice(*np.searchsorted(rows, (y_min, y_max))), slice(*np.searchsorted(columns, (x_min, x_max)))
        to[y, x] = of[rows[y, None], columns[x]]
    return scaled


def _sources(before: tuple[int, ...], after: tuple[int, ...]) -> list[Host]:
    """Return the rows and columns under the pixel centres of the resized picture."""
    return [((np.arange(out) + 0.5) * size / out).astype(np.intp) for out, size in zip(after, before, strict=True)]
