"""A loss that is quadratic near zero and linear far from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.checks import as_number, require_choice, require_same
from renga_nn.functions.math import clip

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["huber_loss"]


def huber_loss(x: Any, t: Any, delta: float, reduce: str = "sum_along_second_axis") -> Variable:
    """``a**2 / 2`` if ``|a| <= delta``, otherwise ``delta (|a| - delta / 2)``, with ``a = x - t`` (Huber 1964).

    Args:
        x, t: Variables or arrays ``(N, K, ...)`` of one shape and one floating dtype.
        delta: The threshold between the parabola and the lines; a positive number.
        reduce: ``"sum_along_second_axis"``, or ``"no"`` for the loss of each element.

    Returns:
        Variable ``(N, ...)``, or of the shape of `x` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes differ, or there is no second axis to sum over.
        ValueError: `delta` is not positive, or `reduce` is invalid.

    >>> import numpy as np
    >>> huber_loss(np.array([[1.0, 3.0]]), np.zeros((1, 2)), 2.0, reduce="no").array.tolist()
    [[0.5, 4.0]]
    """
    require_same("huber_loss", "x", x, "t", t)
    require_choice("huber_loss", "reduce", reduce, ("sum_along_second_axis", "no"))
    delta = as_number("huber_loss", "delta", delta)  # a NumPy number would widen the dtype
    if not delta > 0:
        raise ValueError(f"huber_loss: delta is {delta:g}; it must be positive")
    if reduce == "no":
        return HuberLoss(delta).apply((x, t))[0]
    if x.ndim < 2:
        raise InvalidType("huber_loss", "x", "at least two axes (N, K, ...)", describe_array(x), 'Or set reduce="no".')
    return sum_of(HuberLoss(delta).apply((x, t))[0], axis=1)


class HuberLoss(FunctionNode):
    """The loss of each element; its derivative is the difference, clipped."""

    fresh_gradients = True

    def __init__(self, delta: float) -> None:
        self.delta = delta

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """With ``c = clip(a)`` both cases equal ``c (a - c / 2)``."""
        x, t = inputs
        self.retain_inputs((0, 1))
        difference = x - t
        clipped = get_backend(x).xp.clip(difference, -self.delta, self.delta)
        return (clipped * (difference - clipped * 0.5),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Opposite gradients."""
        x, t = self.saved_inputs
        gradient = get_backend(x).xp.clip(x - t, -self.delta, self.delta) * grad_outputs[0]
        return [-gradient if i else gradient for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        x, t = self.get_retained_inputs()
        gradient = clip(x - t, -self.delta, self.delta) * grad_outputs[0]
        return [-gradient if i else gradient for i in target_input_indexes]
