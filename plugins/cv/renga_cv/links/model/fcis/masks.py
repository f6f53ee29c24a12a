"""Masks of boxes at other resolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.graph import no_backprop_mode
from renga_nn.functions.array.resize_images import resize_images

__all__ = ["Host", "paste", "resized", "rounded"]

Host = np.ndarray[Any, Any]


def resized(mask: Host, size: tuple[int, int]) -> Host:
    """A mask of numbers ``(H, W)``, resized by bilinear interpolation; pixels are squares."""
    with no_backprop_mode():
        return np.asarray(resize_images(mask[None, None], size, align_corners=False).array[0, 0])


def rounded(box: Host) -> tuple[slice, slice]:
    """The rows and columns of a box ``(4,)`` whose sides are rounded to pixels."""
    y_min, x_min, y_max, x_max = (int(side) for side in np.round(box))
    return slice(y_min, y_max), slice(x_min, x_max)


def paste(mask: Host, box: Host, size: tuple[int, int], thresh: float) -> Host:
    """Convert the mask of a box to a mask of the image.

    Args:
        mask: Numbers ``(h, w)`` for the box.
        box: ``(4,)``, inside the image.
        size: Height and width of the image.
        thresh: Smallest value of a pixel that belongs to the mask.

    Returns:
        bool ``(H, W)``.
    """
    pasted = np.zeros(size, bool)
    rows, columns = rounded(box)
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if height > 0 and width > 0:
        pasted[rows, columns] = resized(mask, (height, width)) >= thresh
    return pasted
