"""Logistic function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["sigmoid", "sigmoid_array"]


def sigmoid(x: Any) -> Variable:
    """``1 / (1 + exp(-x))``, element by element, without overflow and with full relative accuracy for all x.

    Args:
        x: Variable or array of any shape and floating dtype.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.

    >>> import numpy as np
    >>> sigmoid(np.array([-1000.0, 0.0])).array.tolist()
    [0.0, 0.5]
    """
    return Sigmoid().apply((x,))[0]


def sigmoid_array(xp: Any, x: Array) -> Array:
    """The logistic function of an array, as ``1 / (1 + e)`` or ``e / (1 + e)``, with ``e = exp(-|x|)``.

    Neither form overflows or subtracts nearly equal numbers. The numerator is a maximum, since e is at most 1: with
    NumPy, a selection by a mask of random signs would take longer than the rest.
    """
    e = xp.exp(-abs(x))
    return xp.maximum(e, (x >= 0).astype(x.dtype)) / (e + 1)


class Sigmoid(Elementwise, operation="sigmoid"):
    """``1 / (1 + exp(-x))``, whose derivative is ``y (1 - y)``."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return sigmoid_array(xp, x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * kept * (1 - kept)
