"""Softmax: scores as probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionNode
from renga_core.graph.operators import sum as sum_of
from renga_core.kernel import Operation
from renga_nn.functions.checks import normalize_axis, require_floating, wide

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["AlongAxis", "apply_along", "softmax"]


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
    return apply_along(Softmax, "softmax", x, axis)


def apply_along(node: type[AlongAxis], function: str, x: Any, axis: int) -> Variable:
    """Apply `function` after checking that scores `x` are floating and have the axis."""
    require_floating(function, "x", x)
    number = normalize_axis(function, axis, x.ndim)
    return node(number).apply((x,))[0]


class AlongAxis(FunctionNode):
    """Base of softmax and log-softmax: functions whose gradient depends on their result only.

    A subclass defines its operation, with forward ``(x, axis)`` and backward ``(y, gy, axis)``, and the differentiable
    `backward`.
    """

    fresh_gradients = True
    operation: ClassVar[Operation]

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute, keeping the result."""
        (x,) = inputs
        self.retain_outputs((0,))
        backend, operation = get_backend(x), self.operation
        self._implementation = operation.sole(backend) or operation.select(backend, x, self.axis)
        return (self._implementation.forward(x, self.axis),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Use the backward that belongs to the forward that was used."""
        assert self._implementation.backward is not None
        return (self._implementation.backward(self.saved_outputs[0], grad_outputs[0], self.axis),)


def _forward(x: Array, axis: int) -> Array:
    """Subtract the maximum, exponentiate, divide."""
    scores = wide(x)
    if 0 in x.shape:  # an empty axis has no maximum
        return x.copy()
    y = get_backend(x).xp.exp(scores - scores.max(axis=axis, keepdims=True))
    y /= y.sum(axis=axis, keepdims=True)
    return y.astype(x.dtype, copy=False)


def _backward(y: Array, gy: Array, axis: int) -> Array:
    """In place."""
    gx = y * gy
    total = wide(gx).sum(axis=axis, keepdims=True)
    gx -= y * total.astype(y.dtype, copy=False)
    return gx


class Softmax(AlongAxis):
    """Softmax along an axis; the derivative is ``y (gy - sum(y gy))``."""

    operation = Operation("softmax", _forward, _backward, samples="renga_nn.functions.example_arguments:softmax")

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        (y,) = self.get_retained_outputs()
        weighted = y * grad_outputs[0]
        return (weighted - y * sum_of(weighted, self.axis, keepdims=True),)
