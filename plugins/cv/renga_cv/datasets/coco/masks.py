"""Masks in the files of COCO: polygons, and run lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["decoded"]

Mask = np.ndarray[Any, Any]


def decoded(segmentation: Any, height: int, width: int) -> Mask:
    """Return the mask ``(H, W)`` of an object, as booleans. Polygons need pycocotools.

    Args:
        segmentation: A list of polygons ``[x, y, x, y, …]``; or ``{"counts": run lengths}``, with the run lengths as a
            list or as a packed string.
        height, width: Size of the picture.

    Raises:
        ValueError: The sum of the run lengths is not the number of pixels.
    """
    if not isinstance(segmentation, list):
        counts = segmentation["counts"]
        return _of_runs(counts if isinstance(counts, list) else _unpacked(counts.encode()), height, width)
    found = np.zeros((height, width), bool)
    if segmentation:
        from pycocotools.mask import frPyObjects

        # pycocotools' own decoding makes NumPy warn.
        for packed in frPyObjects(segmentation, height, width):
            found |= _of_runs(_unpacked(packed["counts"]), height, width)
    return found


def _of_runs(counts: list[int], height: int, width: int) -> Mask:
    """Decode run lengths, alternately outside and inside, column by column."""
    if sum(counts) != height * width:
        raise ValueError(f"run lengths of {sum(counts)} pixels for a picture of {height} x {width}")
    return np.repeat(np.arange(len(counts)) % 2 == 1, counts).reshape(width, height).T


def _unpacked(packed: bytes) -> list[int]:
    """Decode the run lengths that COCO packs in a string.

    A character holds five bits of a number, lowest first; a sixth bit says that more characters follow. The fifth bit
    of a number's last character is the sign. From the fourth number on, each is stored as the difference from the
    number two places before.
    """
    counts: list[int] = []
    number, shift = 0, 0
    for code in packed:
        bits = code - 48
        number |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            if bits & 16:
                number -= 1 << shift
            counts.append(number + (counts[-2] if len(counts) > 2 else 0))
            number, shift = 0, 0
    return counts
