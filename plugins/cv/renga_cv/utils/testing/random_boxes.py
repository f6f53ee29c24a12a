"""Boxes to test with."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["generate_random_bbox"]


def generate_random_bbox(
    n: int, img_size: tuple[float, float], min_length: float, max_length: float
) -> np.ndarray[Any, Any]:
    """Draw random boxes in a picture, with ``numpy.random``.

    Args:
        n: Number of boxes.
        img_size: Height and width of the picture.
        min_length, max_length: Smallest and largest length of a side.

    Returns:
        Boxes ``(n, 4)``, float32.

    Raises:
        ValueError: The longest side does not fit into the picture, or is shorter than the shortest.

    >>> generate_random_bbox(5, (40, 60), 4, 20).shape
    (5, 4)
    """
    size = np.array(img_size, np.float64)
    if not 0 <= min_length <= max_length <= size.min():
        raise ValueError(
            f"generate_random_bbox: lengths from {min_length} to {max_length} in a picture of {img_size[0]} x "
            f"{img_size[1]}; expected 0 <= min_length <= max_length <= both sides of the picture"
        )
    sides = np.random.uniform(min_length, max_length, (n, 2))
    start = np.random.uniform(0, size - sides)
    bbox: np.ndarray[Any, Any] = np.concatenate([start, np.minimum(start + sides, size)], axis=1).astype(np.float32)
    return bbox
