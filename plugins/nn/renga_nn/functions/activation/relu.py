"""Rectified linear unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["relu"]


def relu(x: Any) -> Variable:
    """``max(0, x)``, element by element; the gradient at 0 is 0 (Nair & Hinton 2010).

    Args:
        x: Variable or array of any shape and floating dtype.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.

    >>> import numpy as np
    >>> relu(np.array([-1.0, 0.0, 2.0])).array.tolist()
    [0.0, 0.0, 2.0]
    """
    return ReLU().apply((x,))[0]


class ReLU(Elementwise, operation="relu"):
    """``max(0, x)``."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.maximum(x, 0)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * (kept > 0)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * (kept.array > 0)
