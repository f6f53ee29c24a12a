"""PASCAL VOC's colours of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["voc_colormap"]


def voc_colormap(labels: Any) -> np.ndarray[Any, Any]:
    """Return PASCAL VOC's colours of classes; neighbouring classes have clearly different colours.

    Args:
        labels: Class numbers, integers from 0; 0 is black.

    Returns:
        Colours ``(R, 3)``: RGB, float32 from 0 to 255.

    Raises:
        ValueError: A number is negative.

    >>> voc_colormap([1, 2]).tolist()
    [[128.0, 0.0, 0.0], [0.0, 128.0, 0.0]]
    """
    left = np.array(list(labels), np.int64)
    if (left < 0).any():
        raise ValueError(f"voc_colormap: labels must be 0 or more, not {left.min()}")
    colors = np.zeros((len(left), 3), np.int64)
    # Bits 0, 3, 6 … of the class are the bits of red, highest first; 1, 4 … are green, 2, 5 … blue.
    for bit in range(7, -1, -1):
        colors |= (left[:, None] >> np.arange(3) & 1) << bit
        left >>= 3
    return colors.astype(np.float32)
