"""One scene: bright digits of several sizes on a darker background, coloured and noisy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Scene", "draw_scene"]

Array = np.ndarray[Any, Any]

_SIDES = (0.28, 0.5)  # side of a digit's square, as a fraction of the scene's side
_OVERLAP = 0.1  # largest overlap of two boxes, as a fraction of the smaller box
_TRIES = 20
_BACKGROUND = (20, 110)
_INK = (150, 255)


@dataclass(frozen=True)
class Scene:
    """A picture and its annotation.

    Attributes:
        image: uint8 (3, H, W), RGB.
        masks: bool (R, H, W): the pixels of each digit that no later digit covers.
        labels: int32 (R,): the classes of the digits, 0 to 9.
    """

    image: Array
    masks: Array
    labels: Array


def draw_scene(rng: np.random.Generator, digits: Array, labels: Array, size: int, least: int, most: int) -> Scene:
    """Draw a scene.

    Args:
        rng: The source of random numbers.
        digits: (N, 8, 8): ink, from 0 to 1. The scene's digits are chosen from these.
        labels: (N,): the classes of the digits.
        size: Height and width of the scene, in pixels.
        least, most: Smallest and largest number of digits; fewer if they do not fit.
    """
    image = _background(rng, size)
    masks: list[Array] = []
    found: list[int] = []
    boxes: list[tuple[int, int, int, int]] = []
    for _ in range(rng.integers(least, most + 1)):
        chosen = int(rng.integers(len(digits)))
        side = int(rng.integers(round(_SIDES[0] * size), round(_SIDES[1] * size) + 1))
        # The margin gives strokes at the digit's border soft ends, too.
        ink = _enlarged(np.pad(digits[chosen], 1), side)
        # Sharpens the enlarged digit: its edge is about two pixels wide, and the mask ends in the middle of it.
        alpha = np.clip((ink - 0.3) / 0.3, 0, 1)
        rows, columns = (np.flatnonzero((alpha > 0.5).any(axis)) for axis in (1, 0))
        alpha = alpha[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        box = _free_place(rng, alpha.shape, boxes, size)
        if box is None:
            continue
        window = (slice(None), slice(box[0], box[2]), slice(box[1], box[3]))
        image[window] += alpha * (rng.uniform(*_INK, (3, 1, 1)) - image[window])
        mask = np.zeros((size, size), bool)
        mask[window[1:]] = alpha > 0.5
        masks = [earlier & ~mask for earlier in masks] + [mask]
        found.append(int(labels[chosen]))
        boxes.append(box)
    image += rng.normal(0, 6, image.shape)
    pixels = np.clip(np.rint(image), 0, 255).astype(np.uint8)
    return Scene(pixels, np.array(masks, bool).reshape(-1, size, size), np.array(found, np.int32))


def _background(rng: np.random.Generator, size: int) -> Array:
    """Draw a colour that changes slowly over the picture: float64 (3, size, size)."""
    coarse = rng.uniform(*_BACKGROUND, (3, 1, 1)) + rng.uniform(-30, 30, (3, 4, 4))
    return np.stack([_enlarged(channel, size) for channel in coarse])


def _enlarged(image: Array, side: int) -> Array:
    """Interpolate a square (K, K) bilinearly at the centres of side × side pixels."""
    number = len(image)
    at = np.clip((np.arange(side) + 0.5) * number / side - 0.5, 0, number - 1)
    weights = np.maximum(0, 1 - abs(at[:, None] - np.arange(number)))
    enlarged: Array = weights @ image @ weights.T
    return enlarged


def _free_place(
    rng: np.random.Generator, shape: tuple[int, ...], taken: list[tuple[int, int, int, int]], size: int
) -> tuple[int, int, int, int] | None:
    """Find a box of this shape that hardly overlaps others: y_min, x_min, y_max, x_max, or None."""
    height, width = shape
    for _ in range(_TRIES):
        y, x = (int(rng.integers(size - extent + 1)) for extent in (height, width))
        box = (y, x, y + height, x + width)
        if all(_overlap(box, other) <= _OVERLAP for other in taken):
            return box
    return None


def _overlap(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> float:
    """Return the shared area of two boxes, as a fraction of the smaller box."""
    height = min(one[2], other[2]) - max(one[0], other[0])
    width = min(one[3], other[3]) - max(one[1], other[1])
    smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return max(height, 0) * max(width, 0) / smaller
