"""Masks of whole pictures, and masks in the cells of boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["masks_from_boxes", "masks_in_boxes"]

Array = np.ndarray[Any, Any]


def masks_in_boxes(masks: Array, boxes: Array, side: int) -> Array:
    """Return the cells of boxes that masks cover: bool ``(R, side, side)``.

    Args:
        masks: bool (R, H, W).
        boxes: (R, 4), one for each mask: y_min, x_min, y_max, x_max. Their edges are positive.
        side: Number of cells along an edge of a box. A cell is covered if its middle is, by bilinear interpolation.
    """
    cells = (np.arange(side) + 0.5) / side
    covered = np.zeros((len(masks), side, side), bool)
    for place, mask, (top, left, bottom, right) in zip(covered, masks, boxes, strict=True):
        rows = _weights(top + cells * (bottom - top) - 0.5, mask.shape[0])
        columns = _weights(left + cells * (right - left) - 0.5, mask.shape[1])
        place[:] = rows @ mask @ columns.T > 0.5
    return covered


def masks_from_boxes(scores: Array, boxes: Array, size: tuple[int, int], thresh: float = 0) -> Array:
    """Return masks of the whole picture, bool ``(R, *size)``: pixels in a box with a high interpolated score.

    Args:
        scores: Of the cells of each box, (R, side, side).
        boxes: (R, 4): y_min, x_min, y_max, x_max. Their edges are positive.
        size: Height and width of the picture.
        thresh: Scores of a mask are higher than this.
    """
    masks = np.zeros((len(scores), *size), bool)
    pixels = [np.arange(length) + 0.5 for length in size]
    for mask, cells, box in zip(masks, scores, boxes, strict=True):
        relative = [(pixels[axis] - box[axis]) / (box[axis + 2] - box[axis]) for axis in (0, 1)]
        inside = np.logical_and.outer(*((each >= 0) & (each <= 1) for each in relative))
        rows, columns = (_weights(each * len(cells) - 0.5, len(cells)) for each in relative)
        mask[:] = inside & (rows @ cells @ columns.T > thresh)
    return masks


def _weights(at: Array, number: int) -> Array:
    """Weights (…, number) of elements in a row for linear interpolation at places (…); constant beyond the ends."""
    weights: Array = np.maximum(0, 1 - abs(np.clip(at, 0, number - 1)[..., None] - np.arange(number)))
    return weights
