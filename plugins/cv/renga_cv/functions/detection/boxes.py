"""Boxes as Variables: moved, clipped, resized. Boxes are y_min, x_min, y_max, x_max."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.graph.operators import cast
from renga_nn.functions.array import concat
from renga_nn.functions.math import clip, exp, maximum, minimum

__all__ = ["clipped", "corners", "moved", "resized"]


def corners(centre: Any, size: Any) -> Variable:
    """Boxes ``(..., 4)`` with these centres and sizes ``(..., 2)``."""
    half = size * 0.5
    return concat((centre - half, centre + half), axis=-1)


def moved(boxes: Any, moves: Any, largest: float) -> Variable:
    """Boxes ``(..., 4)``, moved by dy, dx, dh, dw ``(..., 4)``; sizes grow at most by the factor ``exp(largest)``."""
    size = boxes[..., 2:] - boxes[..., :2]
    centre = boxes[..., :2] + size * 0.5
    return corners(centre + moves[..., :2] * size, size * exp(clip(moves[..., 2:], None, largest)))


def clipped(boxes: Any, size: Any) -> Variable:
    """Boxes ``(..., 4)`` clipped to an image of height and width `size`, a Variable or an array ``(2,)``."""
    size = cast(size, boxes.dtype)
    y: Variable = minimum(maximum(boxes, 0), concat((size, size), axis=0))
    return y


def resized(boxes: Any, factor: Any) -> Variable:
    """Boxes ``(..., 4)`` enlarged by a factor for each axis, a Variable or an array ``(2,)``."""
    factor = cast(factor, boxes.dtype)
    y: Variable = boxes * concat((factor, factor), axis=0)
    return y
