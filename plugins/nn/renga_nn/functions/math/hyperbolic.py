"""Hyperbolic sine and cosine, and the inverse hyperbolic tangent (`tanh` is an activation)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["arctanh", "cosh", "sinh"]


def sinh(x: Any) -> Variable:
    """Hyperbolic sine ``(exp(x) - exp(-x)) / 2``, element by element.

    >>> import numpy as np
    >>> sinh(np.array([0.0, 1.0])).array.round(4).tolist()
    [0.0, 1.1752]
    """
    return Sinh().apply((x,))[0]


def cosh(x: Any) -> Variable:
    """Hyperbolic cosine ``(exp(x) + exp(-x)) / 2``, element by element.

    >>> import numpy as np
    >>> cosh(np.array([0.0, 1.0])).array.round(4).tolist()
    [1.0, 1.5431]
    """
    return Cosh().apply((x,))[0]


def arctanh(x: Any) -> Variable:
    """The number whose hyperbolic tangent is x; infinite at -1 and 1, NaN beyond.

    >>> import numpy as np
    >>> arctanh(np.array([0.0, 0.5])).array.round(4).tolist()
    [0.0, 0.5493]
    """
    return ArcTanh().apply((x,))[0]


class Sinh(Elementwise):
    """sinh."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.sinh(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * xp.cosh(kept)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * cosh(kept)


class Cosh(Elementwise):
    """cosh."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.cosh(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * xp.sinh(kept)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * sinh(kept)


class ArcTanh(Elementwise):
    """arctanh; the derivative is ``1 / (1 - x**2)``, as factors that are accurate near -1 and 1."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.arctanh(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy / ((1 - kept) * (1 + kept))
