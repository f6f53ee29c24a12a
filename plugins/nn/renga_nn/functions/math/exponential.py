"""Exponentials, logarithms and roots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from renga_core.backend import Array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["exp", "expm1", "log", "log1p", "log2", "log10", "rsqrt", "sqrt"]


def exp(x: Any) -> Variable:
    """Exponential, element by element.

    >>> import numpy as np
    >>> exp(np.array([0.0, 1.0])).array.round(4).tolist()
    [1.0, 2.7183]
    """
    return Exp().apply((x,))[0]


def expm1(x: Any) -> Variable:
    """``exp(x) - 1``, accurate near 0 too.

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
    """``log(1 + x)``, accurate near 0 too.

    >>> import numpy as np
    >>> log1p(np.array([1e-20])).array.tolist()
    [1e-20]
    """
    return Log1p().apply((x,))[0]


def log2(x: Any) -> Variable:
    """Logarithm to the base 2, element by element.

    >>> import numpy as np
    >>> log2(np.array([1.0, 8.0])).array.tolist()
    [0.0, 3.0]
    """
    return Log2().apply((x,))[0]


def log10(x: Any) -> Variable:
    """Logarithm to the base 10, element by element.

    >>> import numpy as np
    >>> log10(np.array([1.0, 1000.0])).array.tolist()
    [0.0, 3.0]
    """
    return Log10().apply((x,))[0]


def sqrt(x: Any) -> Variable:
    """Square root, element by element; the gradient at 0 is infinite.

    >>> import numpy as np
    >>> sqrt(np.array([4.0])).array.tolist()
    [2.0]
    """
    return Sqrt().apply((x,))[0]


def rsqrt(x: Any) -> Variable:
    """``1 / sqrt(x)``, element by element; infinite at 0.

    >>> import numpy as np
    >>> rsqrt(np.array([4.0])).array.tolist()
    [0.5]
    """
    return Rsqrt().apply((x,))[0]


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


class LogToBase(Elementwise):
    """Logarithms to bases other than e, whose derivative is ``1 / (x log(base))``."""

    log_of_base: ClassVar[float]

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy / (kept * self.log_of_base)


class Log2(LogToBase):
    """log2."""

    log_of_base = math.log(2)

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.log2(x)


class Log10(LogToBase):
    """log10."""

    log_of_base = math.log(10)

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.log10(x)


class Sqrt(Elementwise):
    """sqrt."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.sqrt(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * 0.5 / kept


class Rsqrt(Elementwise):
    """1 / sqrt; the derivative is ``-y**3 / 2``."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return 1 / xp.sqrt(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * kept * kept * kept * -0.5
