"""``link._initialize_params(n)``: converters call it to initialize a link without an input."""

from __future__ import annotations

from typing import Any

from renga_nn.links import (
    DepthwiseConvolution2D,
    GroupNormalization,
    LayerNormalization,
    Linear,
)
from renga_nn.links.filters import Filters

__all__ = ["ADDITIONS"]


def _of_linear(self: Linear, in_size: int) -> None:
    """Initialize `W` for inputs of `in_size` features."""
    self.in_size = in_size
    self.W.initialize((self.out_size, in_size))


def _of_others(self: Any, size: int) -> None:
    """Initialize the parameters for inputs of `size` channels or units."""
    self._initialize(size)


ADDITIONS: list[tuple[Any, str, Any]] = [
    (Linear, "_initialize_params", _of_linear),
    *[
        (cls, "_initialize_params", _of_others)
        for cls in (DepthwiseConvolution2D, Filters, GroupNormalization, LayerNormalization)
    ],
]
