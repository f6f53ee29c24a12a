"""The length of vectors, differentiable where it is 0 too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.array.where import where
from renga_nn.functions.math.exponential import sqrt

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["length"]


def length(x: Variable, axis: int) -> Variable:
    """``sqrt(sum(x * x))`` along an axis; the gradient of a vector of zeros is taken as 0, as if it stayed there."""
    squared = sum_of(x * x, axis=axis)
    positive = squared.array > 0
    return where(positive, sqrt(where(positive, squared, 1)), 0)
