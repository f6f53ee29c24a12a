"""Gaussian error linear units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_nn.functions.activation.tanh import tanh
from renga_nn.functions.elementwise import Elementwise
from renga_nn.functions.math import erf, exp

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["gelu"]

_ROOT_HALF = math.sqrt(0.5)
_DENSITY = 1 / math.sqrt(2 * math.pi)
"""The density of the standard normal distribution at 0."""
_INNER, _CUBE = math.sqrt(2 / math.pi), 0.044715


def gelu(x: Any, approximate: bool = False) -> Variable:
    """``x * Φ(x)`` with the distribution function Φ of the standard normal distribution, element by element.

    Hendrycks and Gimpel, Gaussian Error Linear Units (arXiv:1606.08415), section 2.

    Args:
        x: Variable or array of any shape and floating dtype.
        approximate: Replace Φ(x) by ``(1 + tanh(√(2/π) (x + 0.044715 x³))) / 2``, as GPT-2 does.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.

    >>> import numpy as np
    >>> gelu(np.array([-1.0, 0.0, 1.0])).array.round(4).tolist()
    [-0.1587, 0.0, 0.8413]
    """
    return (GELUTanh() if approximate else GELU()).apply((x,))[0]


class GELU(Elementwise, operation="gelu"):
    """By the error function; the derivative is ``Φ(x) + x φ(x)`` with the density φ."""

    def compute(self, xp: Any, x: Array) -> Array:
        return x * self._distribution(get_backend(x).special("erf"), x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        density = xp.exp(-0.5 * kept * kept) * _DENSITY
        return gy * (self._distribution(get_backend(kept).special("erf"), kept) + kept * density)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * (self._distribution(erf, kept) + kept * (exp(-0.5 * kept * kept) * _DENSITY))

    @staticmethod
    def _distribution(error_function: Any, x: Any) -> Any:
        return (error_function(x * _ROOT_HALF) + 1) * 0.5


class GELUTanh(Elementwise, operation="gelu_tanh"):
    """By the hyperbolic tangent: ``x (1 + tanh(u)) / 2`` with ``u = √(2/π) (x + 0.044715 x³)``."""

    def compute(self, xp: Any, x: Array) -> Array:
        return x * 0.5 * (xp.tanh(_INNER * x * (1 + _CUBE * x * x)) + 1)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return self._gradient(xp.tanh, kept, gy)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return self._gradient(tanh, kept, gy)

    @staticmethod
    def _gradient(hyperbolic_tangent: Any, x: Any, gy: Any) -> Any:
        square = _CUBE * x * x
        t = hyperbolic_tangent(_INNER * x * (square + 1))
        return gy * 0.5 * (t + 1 + x * (1 - t * t) * (_INNER * (square * 3 + 1)))
