"""A piecewise linear approximation of the sigmoid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["hard_sigmoid"]


def hard_sigmoid(x: Any) -> Variable:
    """``min(max(0, 0.2 x + 0.5), 1)``, element by element (Courbariaux, Bengio & David 2015 use slope 0.5 instead).

    Args:
        x: Variable or array of any shape and floating dtype.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.

    >>> import numpy as np
    >>> hard_sigmoid(np.array([-3.0, 0.0, 3.0])).array.tolist()
    [0.0, 0.5, 1.0]
    """
    return HardSigmoid().apply((x,))[0]


class HardSigmoid(Elementwise, operation="hard_sigmoid"):
    """``0.2 x + 0.5``, clipped."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.clip(x * 0.2 + 0.5, 0, 1)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * ((kept > 0) & (kept < 1)) * 0.2

    def gradient(self, kept: Any, gy: Any) -> Any:
        y = kept.array
        return gy * ((y > 0) & (y < 1)) * 0.2
