"""The length of vectors, with a gradient that is 0 at zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.array.where import where
from renga_nn.functions.math.exponential import sqrt

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["length"]


def length(x: Variable, axis: int) -> Variable:
    """``sqrt(sum(x * x))`` along an axis; the gradient of a zero vector is defined as 0."""
    squared = sum_of(x * x, axis=axis)
    positive = squared.array > 0
    return where(positive, sqrt(where(positive, squared, 1)), 0)
