"""Anchors: boxes of a few shapes at each place of a map of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["generate_anchor_base", "shifted_anchors"]


def generate_anchor_base(
    base_size: int = 16, ratios: Sequence[float] = (0.5, 1, 2), anchor_scales: Sequence[float] = (8, 16, 32)
) -> np.ndarray[Any, Any]:
    """Return the anchors of one position (Ren et al. 2015, 3.1.1).

    Their area is ``(base_size * scale) ** 2`` and ``height / width`` is the ratio; nothing is rounded. The centre is
    half of `base_size` from the origin.

    Args:
        base_size: Width and height of the cell, in pixels of the image.
        ratios: Height by width.
        anchor_scales: Lengths in cells.

    Returns:
        float32 ``(len(ratios) * len(anchor_scales), 4)``: y_min, x_min, y_max, x_max. Scales change fastest.

    >>> generate_anchor_base(4, [1], [1, 2]).tolist()
    [[0.0, 0.0, 4.0, 4.0], [-2.0, -2.0, 6.0, 6.0]]
    """
    ratio, scale = (grid.reshape(-1) for grid in np.meshgrid(ratios, anchor_scales, indexing="ij"))
    root = np.sqrt(ratio)
    half = np.stack((scale * root, scale / root), axis=1) * (base_size / 2)
    return (np.concatenate((-half, half), axis=1) + base_size / 2).astype(np.float32)


def shifted_anchors(
    anchor_base: np.ndarray[Any, Any], feat_stride: float, height: int, width: int
) -> np.ndarray[Any, Any]:
    """Return the anchors of all positions of a map.

    Args:
        anchor_base: Anchors of the first position, ``(A, 4)``.
        feat_stride: Stride of the map, in pixels of the image.
        height, width: Size of the map.

    Returns:
        float32 ``(height * width * A, 4)``: row by row, and all anchors of a position together.
    """
    y, x = np.indices((height, width)) * feat_stride
    shifts = np.stack((y, x, y, x), axis=-1)
    return np.asarray((shifts[:, :, None] + anchor_base).reshape(-1, 4), np.float32)
