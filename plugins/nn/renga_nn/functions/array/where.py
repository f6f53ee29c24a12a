"""Elementwise selection from two arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import FunctionNode, InvalidType, as_array
from renga_core.graph.errors import describe_array, describe_arrays
from renga_nn.functions.checks import operands, require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["where"]


def where(condition: Any, x: Any, y: Any) -> Variable:
    """`x` where the condition is true, otherwise `y`; the three broadcast.

    Args:
        condition: Booleans: an array or a Variable, which receives no gradient.
        x, y: Variables or arrays of one dtype; one may be a scalar.

    Raises:
        InvalidType: `condition` is not boolean, the dtypes differ, or the shapes do not broadcast.

    >>> import numpy as np
    >>> where(np.array([True, False]), np.array([1.0, 2.0]), 0).array.tolist()
    [1.0, 0.0]
    """
    require_array("where", "condition", condition)
    chosen = as_array(condition)
    if chosen.dtype.kind != "b":
        raise InvalidType("where", "condition", "booleans", describe_array(chosen), "Compare: condition != 0.")
    x, y = operands("where", "x", x, "y", y)
    if not same_dtype(x, y):
        raise InvalidType("where", "y", f"the dtype of x: {describe_array(x)}", describe_array(y))
    return Where(chosen).apply((x, y))[0]


class Where(FunctionNode):
    """Select by `condition`; elements not selected get a zero gradient, even if the incoming one is not finite."""

    fresh_gradients = True

    def __init__(self, condition: Array) -> None:
        self.condition = condition

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Choose."""
        x, y = inputs
        try:
            return (get_backend(x).xp.where(self.condition, x, y),)
        except ValueError as error:
            shapes = describe_arrays((self.condition, x, y))
            raise InvalidType("where", "condition, x, y", "shapes that broadcast", shapes) from error

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient, where chosen."""
        (gy,) = grad_outputs
        xp = get_backend(gy).xp
        zero = xp.zeros((), dtype=gy.dtype)
        sides = ((gy, zero), (zero, gy))
        return [xp.where(self.condition, *sides[i]) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        (gy,) = grad_outputs
        zero = gy.xp.zeros((), dtype=gy.dtype)
        sides = ((gy, zero), (zero, gy))
        return [Where(self.condition).apply(sides[i])[0] for i in target_input_indexes]
