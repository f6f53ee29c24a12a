"""Leaky rectified linear unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.checks import as_number
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["leaky_relu"]


def leaky_relu(x: Any, slope: float = 0.2) -> Variable:
    """``x`` where positive, elsewhere ``slope * x`` (Maas et al. 2013); the gradient at 0 is `slope`.

    Args:
        x: Variable or array of any shape and floating dtype.
        slope: Slope of the negative side.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.

    >>> import numpy as np
    >>> leaky_relu(np.array([-1.0, 2.0])).array.tolist()
    [-0.2, 2.0]
    """
    return LeakyReLU(slope).apply((x,))[0]


class LeakyReLU(Elementwise, operation="leaky_relu"):
    """Two lines that meet at 0."""

    def __init__(self, slope: float) -> None:
        self.slope = as_number("leaky_relu", "slope", slope)  # a NumPy number would widen the dtype
        self.parameters = (self.slope,)

    def compute(self, xp: Any, x: Array) -> Array:
        # One of the two is 0. Choosing by a mask of random signs would take NumPy many times as long.
        return xp.maximum(x, 0) + xp.minimum(x, 0) * self.slope

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * self._factor(kept)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * self._factor(kept.array)

    def _factor(self, x: Array) -> Array:
        positive = (x > 0).astype(x.dtype)
        return positive + (1 - positive) * self.slope
