"""Interpolation by OpenCV or Pillow, one channel at a time, for resizing and rotating.

Pillow's numbers select an interpolation (``PIL.Image.Resampling``): 0 nearest, 1 Lanczos, 2 bilinear, 3
bicubic, 4 box, 5 Hamming.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array

__all__ = ["BILINEAR", "by_channel", "cv2_interpolation", "pillow_interpolation"]

Host = np.ndarray[Any, Any]

BILINEAR = 2
_NAMES = ("NEAREST", "LANCZOS", "BILINEAR", "BICUBIC", "BOX", "HAMMING")
_CV2_NAMES = {0: "INTER_NEAREST", 1: "INTER_LANCZOS4", 2: "INTER_LINEAR", 3: "INTER_CUBIC"}


def by_channel(function: str, img: Host, change: Callable[[Host], Host]) -> Host:
    """Apply `change` to each channel in single precision, and return the result in the dtype of `img`.

    Integers are rounded, and clipped to the range of their dtype.

    Raises:
        InvalidType: `img` has another dtype than booleans, integers or floats.
    """
    if img.dtype.kind not in "biuf":
        raise InvalidType(function, "img", "an image of numbers", describe_array(img))
    changed = np.stack([change(np.ascontiguousarray(channel, np.float32)) for channel in img])
    if img.dtype.kind == "b":
        return changed >= 0.5
    if img.dtype.kind in "iu":
        limits = np.iinfo(img.dtype)
        changed = np.clip(np.rint(changed.astype(np.float64)), limits.min, limits.max)
    return changed.astype(img.dtype)


def cv2_interpolation(function: str, interpolation: int) -> int:
    """Return OpenCV's number for an interpolation. Raises ValueError if OpenCV does not have it."""
    import cv2

    if interpolation not in _CV2_NAMES:
        raise _unknown(function, interpolation, [_NAMES[number] for number in _CV2_NAMES], "by OpenCV")
    return int(getattr(cv2, _CV2_NAMES[interpolation]))


def pillow_interpolation(function: str, interpolation: int, known: tuple[int, ...] = (0, 1, 2, 3, 4, 5)) -> Any:
    """Return Pillow's name of an interpolation. Raises ValueError if `known` does not contain it."""
    from PIL.Image import Resampling

    if interpolation not in known:
        raise _unknown(function, interpolation, [_NAMES[number] for number in known], "by Pillow")
    return Resampling(interpolation)


def _unknown(function: str, interpolation: int, known: list[str], by: str) -> ValueError:
    given = _NAMES[interpolation] if interpolation in range(len(_NAMES)) else repr(interpolation)
    return ValueError(f"{function}: unknown interpolation {given} {by}; choose one of PIL.Image.{', '.join(known)}")
