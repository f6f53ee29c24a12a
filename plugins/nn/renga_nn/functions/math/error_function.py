"""The error function, its complement, and their inverses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_nn.functions.elementwise import Elementwise
from renga_nn.functions.math.exponential import exp

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["erf", "erfc", "erfcinv", "erfcx", "erfinv"]

_SLOPE = 2 / math.sqrt(math.pi)
"""The slope of the error function at 0."""


def erf(x: Any) -> Variable:
    """The error function ``2/√π ∫ exp(-t²) dt`` from 0 to x, element by element.

    >>> import numpy as np
    >>> erf(np.array([0.0, 1.0])).array.round(4).tolist()
    [0.0, 0.8427]
    """
    return Erf().apply((x,))[0]


def erfc(x: Any) -> Variable:
    """``1 - erf(x)``, accurate for large x too.

    >>> import numpy as np
    >>> erfc(np.array([0.0, 1.0])).array.round(4).tolist()
    [1.0, 0.1573]
    """
    return Erfc().apply((x,))[0]


def erfcx(x: Any) -> Variable:
    """``exp(x**2) erfc(x)``, which does not underflow where `erfc` does.

    >>> import numpy as np
    >>> erfcx(np.array([0.0, 1.0, 100.0])).array.round(4).tolist()
    [1.0, 0.4276, 0.0056]
    """
    return Erfcx().apply((x,))[0]


def erfinv(x: Any) -> Variable:
    """The number whose `erf` is x; infinite at -1 and 1, NaN beyond.

    >>> import numpy as np
    >>> erfinv(np.array([0.0, 0.5])).array.round(4).tolist()
    [0.0, 0.4769]
    """
    return Erfinv().apply((x,))[0]


def erfcinv(x: Any) -> Variable:
    """The number whose `erfc` is x; infinite at 0 and 2, NaN beyond.

    >>> import numpy as np
    >>> erfcinv(np.array([0.5, 1.5])).array.round(4).tolist()
    [0.4769, -0.4769]
    """
    return Erfcinv().apply((x,))[0]


class Erf(Elementwise, operation="erf"):
    """erf; the derivative is ``2/√π exp(-x²)``."""

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("erf")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return xp.exp(-kept * kept) * gy * _SLOPE

    def gradient(self, kept: Any, gy: Any) -> Any:
        return exp(-kept * kept) * gy * _SLOPE


class Erfc(Elementwise):
    """erfc; the derivative is the negative derivative of erf."""

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("erfc")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return xp.exp(-kept * kept) * gy * -_SLOPE

    def gradient(self, kept: Any, gy: Any) -> Any:
        return exp(-kept * kept) * gy * -_SLOPE


class Erfcx(Elementwise):
    """erfcx; the derivative is ``2 x y - 2/√π``."""

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("erfcx")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return (kept * get_backend(kept).special("erfcx")(kept) * 2 - _SLOPE) * gy

    def gradient(self, kept: Any, gy: Any) -> Any:
        return (kept * erfcx(kept) * 2 - _SLOPE) * gy


class Erfinv(Elementwise):
    """erfinv; the derivative is ``√π/2 exp(y²)``."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("erfinv")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return xp.exp(kept * kept) * gy / _SLOPE

    def gradient(self, kept: Any, gy: Any) -> Any:
        return exp(kept * kept) * gy / _SLOPE


class Erfcinv(Elementwise):
    """erfcinv; the derivative is the negative derivative of erfinv."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("erfcinv")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return xp.exp(kept * kept) * gy / -_SLOPE

    def gradient(self, kept: Any, gy: Any) -> Any:
        return exp(kept * kept) * gy / -_SLOPE
