"""The logarithm of softmax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.graph.operators import sum as sum_of
from renga_core.kernel import Operation
from renga_nn.functions.activation.softmax import AlongAxis, apply_along
from renga_nn.functions.checks import wide

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["log_softmax"]


def log_softmax(x: Any, axis: int = 1) -> Variable:
    """``x - log(sum(exp(x)))`` along an axis: accurate even where ``softmax(x)`` underflows to 0.

    Args:
        x: Scores: Variable or array with a floating dtype.
        axis: The axis along which probabilities add up to 1.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> log_softmax(np.array([[1000.0, 0.0]])).array.tolist()
    [[0.0, -1000.0]]
    """
    return apply_along(LogSoftmax, "log_softmax", x, axis)


def _forward(x: Array, axis: int) -> Array:
    """Subtract the largest score, then the logarithm of the sum."""
    xp = get_backend(x).xp
    scores = wide(x)
    if 0 in x.shape:  # an empty axis has no maximum
        return x.copy()
    y = scores - scores.max(axis=axis, keepdims=True)
    y -= xp.log(xp.exp(y).sum(axis=axis, keepdims=True))
    return y.astype(x.dtype, copy=False)


def _backward(y: Array, gy: Array, axis: int) -> Array:
    """In place."""
    gx = get_backend(y).xp.exp(y)
    gx *= -wide(gy).sum(axis=axis, keepdims=True).astype(y.dtype, copy=False)
    gx += gy
    return gx


class LogSoftmax(AlongAxis):
    """Log-softmax along an axis; the derivative is ``gy - exp(y) sum(gy)``."""

    operation = Operation(
        "log_softmax", _forward, _backward, samples="renga_nn.functions.example_arguments:log_softmax"
    )

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        from renga_nn.functions.math import exp

        (y,) = self.get_retained_outputs()
        (gy,) = grad_outputs
        return (gy - exp(y) * sum_of(gy, self.axis, keepdims=True),)
