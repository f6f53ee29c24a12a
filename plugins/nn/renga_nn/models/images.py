"""Helpers of models for images."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_nn.functions.activation import elu, relu, tanh
from renga_nn.functions.pooling import average_pooling_2d, max_pooling_2d

__all__ = ["ACTIVATIONS", "POOLINGS", "as_images", "chosen"]

# With `relu` and `max`, gradients jump at 0 and at ties, so two runs in float32 may diverge there. With the others,
# gradients are continuous.
ACTIVATIONS: Mapping[str, Callable[..., Any]] = {"elu": elu, "relu": relu, "tanh": tanh}
POOLINGS: Mapping[str, Callable[..., Any]] = {"average": average_pooling_2d, "max": max_pooling_2d}


def chosen(model: str, what: str, name: str, among: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Return the function with this name.

    Raises:
        ValueError: There is no function with this name.
    """
    if name not in among:
        raise ValueError(f"{model}: {what} must be one of {', '.join(map(repr, among))}, not {name!r}")
    return among[name]


def as_images(model: str, x: Any) -> Any:
    """Return a batch of images as ``(N, C, H, W)``.

    Args:
        model: Name of the model, for messages.
        x: Such a batch; or gray images ``(N, H, W)``; or square gray images as vectors ``(N, H * W)``.

    Raises:
        InvalidType: `x` has another shape.
    """
    if x.ndim == 4:
        return x
    if x.ndim == 3:
        return reshape(x, (x.shape[0], 1, *x.shape[1:]))
    side = math.isqrt(x.shape[1]) if x.ndim == 2 else 0
    if x.ndim != 2 or side * side != x.shape[1]:
        raise InvalidType(model, "x", "images (N, C, H, W), (N, H, W) or (N, H * H)", describe_array(x))
    return reshape(x, (x.shape[0], 1, side, side))
