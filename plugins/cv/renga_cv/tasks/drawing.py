"""Draws predictions into pictures; small pictures are enlarged. Texts and files need Pillow."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_serializers.optional import require

__all__ = ["as_png", "class_colour", "enlarged", "with_boxes", "with_masks"]

Array = np.ndarray[Any, Any]

_LEAST = 192  # pixels of the longer side; in smaller pictures, text hides the objects


def class_colour(label: int) -> tuple[int, int, int]:
    """A bright colour for a class, RGB; neighbouring classes differ clearly."""
    # Hues at multiples of the golden ratio are well separated for any number of classes.
    red, green, blue = colorsys.hsv_to_rgb(label * 0.618034 % 1, 0.8, 1.0)
    return round(255 * red), round(255 * green), round(255 * blue)


def enlarged(image: Array) -> Array:
    """Return an image (C, H, W) as uint8, with pixels repeated until the longer side has at least 192."""
    times = _times(image)
    return np.clip(np.rint(image), 0, 255).astype(np.uint8).repeat(times, 1).repeat(times, 2)


def with_masks(image: Array, masks: Array, labels: Array, opacity: float = 0.55) -> Array:
    """Return an image with regions in the colours of their classes.

    Args:
        image: (3, H, W), RGB from 0 to 255.
        masks: bool (R, H, W).
        labels: The class of each.
        opacity: Weight of the colour, from 0 to 1.
    """
    mixed: Array = image.astype(np.float32)
    for mask, label in zip(masks, labels, strict=True):
        colour = np.array(class_colour(int(label)), np.float32)[:, None]
        mixed[:, mask] += opacity * (colour - mixed[:, mask])
    return mixed


def with_boxes(image: Array, boxes: Array, labels: Array, texts: Sequence[str]) -> Array:
    """Return an image, enlarged, with boxes in the colours of their classes, and a text above each.

    Args:
        image: (3, H, W), RGB from 0 to 255.
        boxes: (R, 4): y_min, x_min, y_max, x_max.
        labels: The class of each.
        texts: What to write above each.
    """
    picture = as_png(enlarged(image))
    from PIL import ImageDraw

    draw, times = ImageDraw.Draw(picture), _times(image)
    for box, label, text in zip(boxes, labels, texts, strict=True):
        top, left, bottom, right = (round(float(value) * times) for value in box)
        colour = class_colour(int(label))
        draw.rectangle((left, top, max(right - 1, left), max(bottom - 1, top)), outline=colour, width=2)
        place = draw.textbbox((left, max(top - 11, 0)), text)
        draw.rectangle(place, fill=colour)
        draw.text(place[:2], text, fill=(0, 0, 0), anchor=None)
    return np.asarray(picture).transpose(2, 0, 1)


def as_png(image: Array) -> Any:
    """Return an image uint8 (3, H, W) as Pillow's, to be drawn into or saved.

    Raises:
        RengaError: Pillow is not installed.
    """
    require("PIL", "drawing predictions", "cv")
    from PIL import Image

    return Image.fromarray(np.ascontiguousarray(image.transpose(1, 2, 0)))


def _times(image: Array) -> int:
    times: int = max(1, math.ceil(_LEAST / max(image.shape[1:])))
    return times
