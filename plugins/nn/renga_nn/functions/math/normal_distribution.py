"""The distribution function of the standard normal distribution, its logarithm and its inverse."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_nn.functions.elementwise import Elementwise
from renga_nn.functions.math.error_function import erfcx
from renga_nn.functions.math.exponential import exp

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["log_ndtr", "ndtr", "ndtri"]

_DENSITY = 1 / math.sqrt(2 * math.pi)
"""The density of the standard normal distribution at 0."""


def ndtr(x: Any) -> Variable:
    """The probability that a standard normal number is below x, element by element.

    >>> import numpy as np
    >>> ndtr(np.array([0.0, 1.96])).array.round(4).tolist()
    [0.5, 0.975]
    """
    return Ndtr().apply((x,))[0]


def log_ndtr(x: Any) -> Variable:
    """The logarithm of `ndtr`, finite even where `ndtr` underflows.

    >>> import numpy as np
    >>> log_ndtr(np.array([0.0, -100.0])).array.round(4).tolist()
    [-0.6931, -5005.5242]
    """
    return LogNdtr().apply((x,))[0]


def ndtri(x: Any) -> Variable:
    """The inverse of `ndtr`; infinite at 0 and 1, NaN outside.

    >>> import numpy as np
    >>> ndtri(np.array([0.5, 0.975])).array.round(4).tolist()
    [0.0, 1.96]
    """
    return Ndtri().apply((x,))[0]


class Ndtr(Elementwise):
    """ndtr; the derivative is the density."""

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("ndtr")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return xp.exp(kept * kept * -0.5) * gy * _DENSITY

    def gradient(self, kept: Any, gy: Any) -> Any:
        return exp(kept * kept * -0.5) * gy * _DENSITY


class LogNdtr(Elementwise):
    """log_ndtr; the derivative is density / probability, in which the exponentials cancel."""

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("log_ndtr")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * (2 * _DENSITY) / get_backend(kept).special("erfcx")(kept * -math.sqrt(0.5))

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * (2 * _DENSITY) / erfcx(kept * -math.sqrt(0.5))


class Ndtri(Elementwise):
    """ndtri; the derivative is 1 / density at y."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("ndtri")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return xp.exp(kept * kept * 0.5) * gy / _DENSITY

    def gradient(self, kept: Any, gy: Any) -> Any:
        return exp(kept * kept * 0.5) * gy / _DENSITY
