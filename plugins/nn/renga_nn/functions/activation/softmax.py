"""Softmax: scores as probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionNode
from renga_core.graph.operators import sum as sum_of
from renga_core.graph.operators.reduction import normalize_axes
from renga_nn.functions.checks import require_floating, wide

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["softmax"]


def softmax(x: Any, axis: int = 1) -> Variable:
    """``exp(x) / sum(exp(x))`` along an axis (Bridle 1990). The largest score is subtracted first: nothing overflows.

    Args:
        x: Scores: Variable or array with a floating dtype. ``-inf`` gives probability 0.
        axis: The axis along which probabilities add up to 1.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: `x` is not floating.
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> softmax(np.array([[0.0, 0.0], [1000.0, 0.0]])).array.tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    (number,) = normalize_axes("softmax", axis, x.ndim)
    return Softmax(number).apply((x,))[0]


class Softmax(FunctionNode):
    """Softmax along an axis; the derivative is ``y (gy - sum(y gy))``."""

    fresh_gradients = True

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Shift, exponential, division."""
        (x,) = inputs
        require_floating("softmax", "x", x)
        self.retain_outputs((0,))
        scores = wide(x)
        y = get_backend(x).xp.exp(scores - scores.max(axis=self.axis, keepdims=True))
        y /= y.sum(axis=self.axis, keepdims=True)
        return (y.astype(x.dtype, copy=False),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """On arrays, in place."""
        (y,) = self.saved_outputs
        gx = y * grad_outputs[0]
        total = wide(gx).sum(axis=self.axis, keepdims=True)
        gx -= y * total.astype(y.dtype, copy=False)
        return (gx,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        (y,) = self.get_retained_outputs()
        weighted = y * grad_outputs[0]
        return (weighted - y * sum_of(weighted, self.axis, keepdims=True),)
