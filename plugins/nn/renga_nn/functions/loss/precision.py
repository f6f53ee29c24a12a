"""Losses in half precision are computed in single: squares and sums overflow at 65504."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable, as_variable
from renga_nn.functions.array.cast import cast

__all__ = ["widened"]


def widened(*xs: Any) -> tuple[Variable, ...]:
    """Variables or floating arrays as Variables, those of less than 32 bits in single precision."""
    return tuple([cast(x, "float32") if x.dtype.itemsize < 4 else as_variable(x) for x in xs])
