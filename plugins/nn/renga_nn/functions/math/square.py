"""Squares, squared differences, and the squared norm of each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape, subtract
from renga_nn.functions.checks import require_floating, require_same, wide
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["batch_l2_norm_squared", "square", "squared_difference"]


def square(x: Any) -> Variable:
    """``x * x``, element by element.

    >>> import numpy as np
    >>> square(np.array([-3.0])).array.tolist()
    [9.0]
    """
    return Square().apply((x,))[0]


def squared_difference(x1: Any, x2: Any) -> Variable:
    """``(x1 - x2)**2``, element by element.

    Args:
        x1, x2: Variables or arrays of one shape and one floating dtype.

    Raises:
        InvalidType: Shapes or dtypes differ.

    >>> import numpy as np
    >>> squared_difference(np.array([1.0, 2.0]), np.array([1.0, 5.0])).array.tolist()
    [0.0, 9.0]
    """
    require_same("squared_difference", "x1", x1, "x2", x2)
    return square(subtract(x1, x2))


def batch_l2_norm_squared(x: Any) -> Variable:
    """The sum of squares of each entry of a batch.

    Args:
        x: Variable or array ``(N, ...)`` with at least two axes and a floating dtype.

    Returns:
        Variable ``(N,)``.

    Raises:
        InvalidType: `x` has another shape or dtype.

    >>> import numpy as np
    >>> batch_l2_norm_squared(np.array([[3.0, 4.0], [0.0, 1.0]])).array.tolist()
    [25.0, 1.0]
    """
    return BatchL2NormSquared().apply((x,))[0]


class Square(Elementwise):
    """``x * x``."""

    def compute(self, xp: Any, x: Array) -> Array:
        return x * x

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * kept * 2


class BatchL2NormSquared(FunctionNode):
    """Sum of squares over all axes but the first."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Sum of squares."""
        (x,) = inputs
        require_floating("batch_l2_norm_squared", "x", x)
        if x.ndim < 2:
            raise InvalidType("batch_l2_norm_squared", "x", "at least two axes (N, ...)", describe_array(x))
        self.retain_inputs((0,))
        values = wide(x)
        return ((values * values).sum(axis=tuple(range(1, x.ndim))).astype(x.dtype, copy=False),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``2 x gy``."""
        (x,) = self.saved_inputs
        return (x * (grad_outputs[0] * 2).reshape(self._kept_shape()),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``2 x gy``."""
        (x,) = self.get_retained_inputs()
        return (x * reshape(grad_outputs[0] * 2, self._kept_shape()),)

    def _kept_shape(self) -> tuple[int, ...]:
        shape = self.inputs[0].shape
        return (shape[0], *[1] * (len(shape) - 1))
