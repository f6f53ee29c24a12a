"""Exponential linear units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_nn.functions.checks import as_number
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["elu", "selu"]


def elu(x: Any, alpha: float = 1.0) -> Variable:
    """``x`` where positive, elsewhere ``alpha * (exp(x) - 1)`` (Clevert, Unterthiner & Hochreiter 2016, eq. 15).

    Args:
        x: Variable or array of any shape and floating dtype.
        alpha: The function approaches ``-alpha`` for large negative x.

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
    """``scale * elu(x, alpha)``; the defaults keep mean 0 and variance 1 (Klambauer et al. 2017, eq. 2, 14).

    Arguments, result and errors as for `elu`.

    >>> import numpy as np
    >>> selu(np.array([1.0])).array.round(4).tolist()
    [1.0507]
    """
    return elu(x, as_number("selu", "alpha", alpha)) * as_number("selu", "scale", scale)


class ELU(Elementwise, operation="elu"):
    """A line, and an exponential that meets it at 0."""

    def __init__(self, alpha: float) -> None:
        self.alpha = as_number("elu", "alpha", alpha)  # a NumPy number would widen the dtype
        self.parameters = (self.alpha,)

    def compute(self, xp: Any, x: Array) -> Array:
        # One of the two terms is 0; the exponent is limited, so that nothing overflows.
        return xp.maximum(x, 0) + xp.expm1(xp.minimum(x, 0)) * self.alpha

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        positive = (kept > 0).astype(kept.dtype)
        return gy * (positive + (1 - positive) * (xp.exp(xp.minimum(kept, 0)) * self.alpha))

    def gradient(self, kept: Any, gy: Any) -> Any:
        from renga_nn.functions.math import exp, minimum

        positive = (kept.array > 0).astype(kept.dtype)
        return gy * (exp(minimum(kept, 0)) * ((1 - positive) * self.alpha) + positive)
