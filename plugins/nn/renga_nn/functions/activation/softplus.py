"""A smooth form of the rectified linear unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.activation.sigmoid import sigmoid, sigmoid_array
from renga_nn.functions.checks import as_number
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["softplus"]


def softplus(x: Any, beta: float = 1.0) -> Variable:
    """``log(1 + exp(beta x)) / beta``, element by element (Dugas et al. 2001), without overflow.

    Args:
        x: Variable or array of any shape and floating dtype.
        beta: Sharpness: with larger beta, the function is closer to ``max(0, x)``.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.

    >>> import numpy as np
    >>> softplus(np.array([0.0, 1000.0])).array.round(4).tolist()
    [0.6931, 1000.0]
    """
    return Softplus(beta).apply((x,))[0]


class Softplus(Elementwise, operation="softplus"):
    """``log(1 + exp(beta x)) / beta``, whose derivative is ``sigmoid(beta x)``."""

    def __init__(self, beta: float) -> None:
        self.beta = as_number("softplus", "beta", beta)  # a NumPy number would widen the dtype
        self.parameters = (self.beta,)

    def compute(self, xp: Any, x: Array) -> Array:
        scaled = x * self.beta
        return (xp.maximum(scaled, 0) + xp.log1p(xp.exp(-abs(scaled)))) / self.beta

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * sigmoid_array(xp, kept * self.beta)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * sigmoid(kept * self.beta)
