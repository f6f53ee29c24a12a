"""What models of images have in common."""

from __future__ import annotations

import math
from typing import Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape

__all__ = ["as_images"]


def as_images(model: str, x: Any) -> Any:
    """A batch of images as ``(N, C, H, W)``.

    Args:
        model: Name of the model, for messages.
        x: Such a batch; one of grey images ``(N, H, W)``; or one of square grey images as vectors ``(N, H * W)``.

    Raises:
        InvalidType: It is none of these.
    """
    if x.ndim == 4:
        return x
    if x.ndim == 3:
        return reshape(x, (x.shape[0], 1, *x.shape[1:]))
    side = math.isqrt(x.shape[1]) if x.ndim == 2 else 0
    if x.ndim != 2 or side * side != x.shape[1]:
        raise InvalidType(model, "x", "images (N, C, H, W), (N, H, W) or (N, H * H)", describe_array(x))
    return reshape(x, (x.shape[0], 1, side, side))
