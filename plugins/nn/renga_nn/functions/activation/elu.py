"""Exponential linear units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["elu", "selu"]


def elu(x: Any, alpha: float = 1.0) -> Variable:
    """``x`` where positive, elsewhere ``alpha * (exp(x) - 1)`` (Clevert, Unterthiner & Hochreiter 2016, eq. 15).

    Args:
        x: Variable or array of any shape and floating dtype.
        alpha: What is approached, negated, far to the left.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.

    >>> import numpy as np
    >>> elu(np.array([-100.0, 2.0])).array.tolist()
    [-1.0, 2.0]
    """
    return ELU(alpha).apply((x,))[0]


def selu(x: Any, alpha: float = 1.6732632423543772, scale: float = 1.0507009873554805) -> Variable:
    """``scale * elu(x, alpha)``, whose defaults keep mean 0 and variance 1 (Klambauer et al. 2017, eq. 2, 14).

    Arguments, result and errors as `elu`.

    >>> import numpy as np
    >>> selu(np.array([1.0])).array.round(4).tolist()
    [1.0507]
    """
    return elu(x, alpha) * scale


class ELU(Elementwise):
    """A line, and an exponential that meets it at 0."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha

    def compute(self, xp: Any, x: Array) -> Array:
        # The exponent is cut at 0: where the line is taken anyway, it must not overflow.
        return xp.where(x > 0, x, self.alpha * xp.expm1(xp.minimum(x, 0)))

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return xp.where(kept > 0, gy, gy * (self.alpha * xp.exp(xp.minimum(kept, 0))))

    def gradient(self, kept: Any, gy: Any) -> Any:
        from renga_nn.functions.array import where
        from renga_nn.functions.math import exp, minimum

        return where(kept.array > 0, gy, gy * (exp(minimum(kept, 0)) * self.alpha))
