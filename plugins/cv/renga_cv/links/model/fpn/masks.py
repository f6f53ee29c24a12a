"""Masks of regions: small ones, as a network makes them, and in the size of the image.

Both functions need only NumPy. They interpolate as OpenCV's ``INTER_LINEAR`` does: the value of a pixel is that
of its centre, and borders are repeated. ChainerCV's need OpenCV.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import Array, to_host

__all__ = ["mask_to_segm", "segm_to_mask"]

Host = np.ndarray[Any, Any]

PAD = 1
"""Pixels around a small mask, so that its border is interpolated too."""


def mask_to_segm(mask: Array, bbox: Array, segm_size: int, index: Array | None = None) -> Host:
    """Cut regions out of masks, and resize them.

    Boxes are enlarged by a pixel of the small mask on each side and rounded to whole pixels; after the resize the pixel
    is cut off again. Pixels outside of the image are not part of the mask.

    Args:
        mask: Masks, bool ``(R, H, W)``.
        bbox: Regions, float32 ``(R', 4)``.
        segm_size: Height and width of the small masks.
        index: The mask index of each region, integers ``(R',)``; None if regions and masks correspond in order.

    Returns:
        float32 ``(R', segm_size, segm_size)`` from 0 to 1.
    """
    masks, boxes = to_host(mask), _enlarged(to_host(bbox), segm_size)
    number = np.arange(len(boxes)) if index is None else to_host(index)
    segm = np.zeros((len(boxes), segm_size, segm_size), np.float32)
    rows, columns = (_places(boxes, axis, segm_size, masks.shape[1 + axis]) for axis in (0, 1))
    for row, row_weight in rows:
        for column, column_weight in columns:
            pixel = masks[number[:, None, None], row[:, :, None], column[:, None, :]]
            segm += pixel * (row_weight[:, :, None] * column_weight[:, None, :])
    return segm


def segm_to_mask(segm: Array, bbox: Array, size: tuple[int, int]) -> Host:
    """Put small masks into images.

    A border of zeros is added to a small mask. The mask is resized to its box, which is enlarged by the same border and
    rounded to whole pixels. Pixels above 0.5 belong to the mask.

    Args:
        segm: Small masks, float32 ``(R, segm_size, segm_size)`` from 0 to 1.
        bbox: Regions, float32 ``(R, 4)``.
        size: Height and width of the image.

    Returns:
        bool ``(R, H, W)``.
    """
    segm = np.pad(to_host(segm), ((0, 0), (PAD, PAD), (PAD, PAD)))
    mask = np.zeros((len(segm), *size), bool)
    for number, box in enumerate(_enlarged(to_host(bbox), segm.shape[1] - 2 * PAD)):
        top, left = np.clip(box[:2], 0, size)
        bottom, right = np.clip(box[2:], 0, size)
        rows = _interpolation(np.arange(top, bottom) - box[0], box[2] - box[0], segm.shape[1])
        columns = _interpolation(np.arange(left, right) - box[1], box[3] - box[1], segm.shape[2])
        mask[number, top:bottom, left:right] = rows @ segm[number] @ columns.T > 0.5
    return mask


def _enlarged(bbox: Host, segm_size: int) -> Host:
    """Boxes, enlarged by a pixel of the small mask on each side, in whole pixels, at least one: integers ``(R, 4)``."""
    centre, half = (bbox[:, :2] + bbox[:, 2:]) / 2, (bbox[:, 2:] - bbox[:, :2]) / 2
    half = half * ((segm_size + 2 * PAD) / segm_size)
    box = np.round(np.concatenate((centre - half, centre + half), axis=1)).astype(np.intp)
    box[:, 2:] = np.maximum(box[:, 2:], box[:, :2] + 1)
    return box


def _source(place: Host, length: Any, source_length: Any) -> tuple[Host, Host, Host]:
    """The source pixels of a resized axis: the pixels before and after, and the weight of the latter."""
    source = np.clip((place + 0.5) * (source_length / length) - 0.5, 0, source_length - 1)
    low = np.floor(source).astype(np.intp)
    return low, np.minimum(low + 1, source_length - 1), (source - low).astype(np.float32)


def _interpolation(place: Host, length: int, source_length: int) -> Host:
    """The matrix, float32 ``(len(place), source_length)``, that resizes an axis, for some pixels of the result."""
    low, high, share = _source(place, length, source_length)
    matrix = np.zeros((len(place), source_length), np.float32)
    row = np.arange(len(place))
    matrix[row, low] = 1 - share
    matrix[row, high] += share
    return matrix


def _places(boxes: Host, axis: int, segm_size: int, size: int) -> list[tuple[Host, Host]]:
    """The image pixels on both sides of each pixel of small masks, and their weights: twice ``(R, segm_size)``."""
    start, length = boxes[:, axis, None], (boxes[:, axis + 2] - boxes[:, axis])[:, None]
    low, high, share = _source(np.arange(PAD, PAD + segm_size), segm_size + 2 * PAD, length)
    made = []
    for offset, weight in ((low, 1 - share), (high, share)):
        pixel = start + offset
        inside = (pixel >= 0) & (pixel < size)
        made.append((np.clip(pixel, 0, size - 1), np.where(inside, weight, 0).astype(np.float32)))
    return made
