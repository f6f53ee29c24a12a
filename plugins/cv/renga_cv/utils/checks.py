"""Checks of arguments that functions on images, boxes and points share."""

from __future__ import annotations

from typing import Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array, require_array

__all__ = ["require_boxes"]


def require_boxes(function: str, argument: str, boxes: Any) -> None:
    """Refuse what is no array of boxes.

    Raises:
        InvalidType: `boxes` is no array of numbers of shape ``(R, 4)``.
    """
    require_array(function, argument, boxes)
    if boxes.ndim != 2 or boxes.shape[1] != 4 or boxes.dtype.kind not in "fiu":
        raise InvalidType(function, argument, "boxes (R, 4): y_min, x_min, y_max, x_max", describe_array(boxes))
