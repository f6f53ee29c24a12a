"""The logarithm of the gamma function, its derivatives, and the zeta function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import FunctionNode, InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import require_array, require_floating
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["digamma", "lgamma", "polygamma", "zeta"]


def lgamma(x: Any) -> Variable:
    """``log(|Γ(x)|)``, element by element.

    >>> import numpy as np
    >>> lgamma(np.array([1.0, 5.0])).array.round(4).tolist()
    [0.0, 3.1781]
    """
    return LGamma().apply((x,))[0]


def digamma(x: Any) -> Variable:
    """The derivative of `lgamma`, element by element.

    >>> import numpy as np
    >>> digamma(np.array([1.0])).array.round(4).tolist()
    [-0.5772]
    """
    return Digamma().apply((x,))[0]


def polygamma(n: Any, x: Any) -> Variable:
    """The derivative of order `n` of `digamma` at `x`, element by element, broadcast. No gradient flows to `n`.

    Args:
        n: A non-negative integer, or an array or Variable of such integers.
        x: Variable or array of a floating dtype, positive numbers.

    Raises:
        InvalidType: `n` holds no integers, `x` no floating numbers, or their shapes do not fit.

    >>> import numpy as np
    >>> polygamma(1, np.array([1.0])).array.round(4).tolist()
    [1.6449]
    """
    require_floating("polygamma", "x", x)
    if isinstance(n, (int, np.integer)):
        return Polygamma(int(n)).apply((x,))[0]
    require_array("polygamma", "n", n)
    order = as_array(n)
    if order.dtype.kind not in "iu":
        raise InvalidType("polygamma", "n", "integers", describe_array(order))
    return Polygamma(order).apply((x,))[0]


def zeta(x: Any, q: Any) -> Variable:
    """The zeta function of Hurwitz: the sum of ``1 / (k + q)**x`` over k = 0, 1, …, element by element, broadcast.

    Args:
        x: Variable or array, numbers above 1. No gradient flows to it.
        q: Variable or array of the same floating dtype, positive numbers.

    Raises:
        InvalidType: Dtypes or shapes do not fit.

    >>> import numpy as np
    >>> zeta(np.array([2.0]), np.array([1.0])).array.round(4).tolist()
    [1.6449]
    """
    require_array("zeta", "x", x)
    require_floating("zeta", "q", q)
    if not same_dtype(x, q):
        raise InvalidType("zeta", "x", f"the dtype of q: {describe_array(q)}", describe_array(x))
    return Zeta(as_array(x)).apply((q,))[0]


class LGamma(Elementwise):
    """lgamma; the derivative is digamma."""

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("gammaln")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return get_backend(kept).special("digamma")(kept) * gy

    def gradient(self, kept: Any, gy: Any) -> Any:
        return digamma(kept) * gy


class Digamma(Elementwise):
    """digamma; the derivative is polygamma of order 1."""

    def compute(self, xp: Any, x: Array) -> Array:
        return get_backend(x).special("digamma")(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return get_backend(kept).special("polygamma")(1, kept) * gy

    def gradient(self, kept: Any, gy: Any) -> Any:
        return polygamma(1, kept) * gy


class OfAConstant(FunctionNode):
    """A function of an array and a constant that broadcasts with it.

    Args:
        constant: Its first argument.
    """

    fresh_gradients = True

    def __init__(self, constant: Any) -> None:
        self.constant = constant

    def compute(self, x: Array) -> Array:
        """The function."""
        raise NotImplementedError

    def derivative(self, x: Any) -> Any:
        """By `x`, on Variables."""
        raise NotImplementedError

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute, keeping the input."""
        self.retain_inputs((0,))
        return (self.compute(inputs[0]),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """On Variables; backpropagation sums over the axes that broadcasting added."""
        (x,) = self.get_retained_inputs()
        return (self.derivative(x) * grad_outputs[0],)

    def _explain_failure(self, xs: tuple[Array, ...], error: Exception) -> None:
        """The error for shapes that do not broadcast."""
        if isinstance(error, ValueError) and hasattr(self.constant, "shape"):
            name, argument, other = ("polygamma", "n", "x") if isinstance(self, Polygamma) else ("zeta", "x", "q")
            expected = f"a shape that broadcasts with {other}: {describe_array(xs[0])}"
            raise InvalidType(name, argument, expected, describe_array(self.constant)) from error
        super()._explain_failure(xs, error)


class Polygamma(OfAConstant):
    """polygamma; the derivative is polygamma of the next order."""

    def compute(self, x: Array) -> Array:
        return get_backend(x).special("polygamma")(self.constant, x)

    def derivative(self, x: Any) -> Any:
        return polygamma(self.constant + 1, x)


class Zeta(OfAConstant):
    """zeta; the derivative by q is ``-x zeta(x + 1, q)``."""

    def compute(self, x: Array) -> Array:
        return get_backend(x).special("zeta")(self.constant, x)

    def derivative(self, x: Any) -> Any:
        return zeta(self.constant + 1, x) * -self.constant
