"""Hyperbolic tangent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["tanh"]


def tanh(x: Any) -> Variable:
    """Hyperbolic tangent, element by element.

    Args:
        x: Variable or array of any shape and floating dtype.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.

    >>> import numpy as np
    >>> tanh(np.array([0.0, 100.0])).array.tolist()
    [0.0, 1.0]
    """
    return Tanh().apply((x,))[0]


class Tanh(Elementwise, operation="tanh"):
    """tanh, whose derivative is ``1 - y**2``."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.tanh(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * (1 - kept * kept)
