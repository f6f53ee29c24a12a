"""Exponentials, logarithms and roots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["exp", "expm1", "log", "log1p", "sqrt"]


def exp(x: Any) -> Variable:
    """Exponential, element by element.

    >>> import numpy as np
    >>> exp(np.array([0.0, 1.0])).array.round(4).tolist()
    [1.0, 2.7183]
    """
    return Exp().apply((x,))[0]


def expm1(x: Any) -> Variable:
    """``exp(x) - 1``, exact near 0 too.

    >>> import numpy as np
    >>> expm1(np.array([1e-20])).array.tolist()
    [1e-20]
    """
    return Expm1().apply((x,))[0]


def log(x: Any) -> Variable:
    """Natural logarithm, element by element.

    >>> import numpy as np
    >>> log(np.array([1.0, 10.0])).array.round(4).tolist()
    [0.0, 2.3026]
    """
    return Log().apply((x,))[0]


def log1p(x: Any) -> Variable:
    """``log(1 + x)``, exact near 0 too.

    >>> import numpy as np
    >>> log1p(np.array([1e-20])).array.tolist()
    [1e-20]
    """
    return Log1p().apply((x,))[0]


def sqrt(x: Any) -> Variable:
    """Square root, element by element; the gradient at 0 is infinite.

    >>> import numpy as np
    >>> sqrt(np.array([4.0])).array.tolist()
    [2.0]
    """
    return Sqrt().apply((x,))[0]


class Exp(Elementwise):
    """exp."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.exp(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * kept


class Expm1(Elementwise):
    """exp minus 1."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.expm1(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * (kept + 1)


class Log(Elementwise):
    """log."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.log(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy / kept


class Log1p(Elementwise):
    """log of 1 plus x."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.log1p(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy / (kept + 1)


class Sqrt(Elementwise):
    """sqrt."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.sqrt(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * 0.5 / kept
