"""Sigmoid linear units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.activation.sigmoid import sigmoid, sigmoid_array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["silu"]


def silu(x: Any) -> Variable:
    """``x * sigmoid(x)``, element by element: `swish` with beta 1.

    Elfwing, Uchibe and Doya, Sigmoid-Weighted Linear Units (arXiv:1702.03118), section 2.3.

    Args:
        x: Variable or array of any shape and floating dtype.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.

    >>> import numpy as np
    >>> silu(np.array([0.0, 1.0])).array.round(4).tolist()
    [0.0, 0.7311]
    """
    return SiLU().apply((x,))[0]


class SiLU(Elementwise, operation="silu"):
    """``x sigmoid(x)``; the derivative is ``s (1 + x (1 - s))`` with ``s = sigmoid(x)``."""

    def compute(self, xp: Any, x: Array) -> Array:
        return x * sigmoid_array(xp, x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        s = sigmoid_array(xp, kept)
        return gy * (s * (1 + kept * (1 - s)))

    def gradient(self, kept: Any, gy: Any) -> Any:
        s = sigmoid(kept)
        return gy * (s * (1 + kept * (1 - s)))
