"""The larger and the smaller of two arrays, and limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import as_number, operands, require_floating
from renga_nn.functions.elementwise import Elementwise

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["clip", "maximum", "minimum"]


def maximum(x1: Any, x2: Any) -> Variable:
    """The larger of two elements, with broadcasting. For equal elements, the gradient flows to `x1`.

    Args:
        x1, x2: Variables or arrays of one floating dtype; one may be a scalar.

    Raises:
        InvalidType: Dtypes or shapes do not fit.

    >>> import numpy as np
    >>> maximum(np.array([1.0, 5.0]), 3).array.tolist()
    [3.0, 5.0]
    """
    return Maximum().apply(operands("maximum", "x1", x1, "x2", x2))[0]


def minimum(x1: Any, x2: Any) -> Variable:
    """The smaller of two elements, with broadcasting. For equal elements, the gradient flows to `x1`.

    Arguments and errors as `maximum`.

    >>> import numpy as np
    >>> minimum(np.array([1.0, 5.0]), 3).array.tolist()
    [1.0, 3.0]
    """
    return Minimum().apply(operands("minimum", "x1", x1, "x2", x2))[0]


def clip(x: Any, x_min: float | None, x_max: float | None) -> Variable:
    """``min(max(x, x_min), x_max)``, element by element. The gradient is 1 between the limits, including them.

    Args:
        x: Variable or array of a floating dtype.
        x_min, x_max: Limits; None for no limit on that side.

    Raises:
        InvalidType: `x` is not floating.
        ValueError: `x_min` is larger than `x_max`, or both are None.

    >>> import numpy as np
    >>> clip(np.array([-2.0, 0.5, 2.0]), -1, 1).array.tolist()
    [-1.0, 0.5, 1.0]
    """
    if x_min is None and x_max is None:
        raise ValueError("clip: give x_min, x_max or both")
    # NumPy numbers would change the dtype.
    x_min = None if x_min is None else as_number("clip", "x_min", x_min)
    x_max = None if x_max is None else as_number("clip", "x_max", x_max)
    if x_min is not None and x_max is not None and x_min > x_max:
        raise ValueError(f"clip: x_min {x_min:g} is larger than x_max {x_max:g}")
    return Clip(x_min, x_max).apply((x,))[0]


class Choice(FunctionNode):
    """Selects one of two operands, element by element: the base of `Maximum` and `Minimum`."""

    fresh_gradients = True

    def choose(self, xp: Any, x1: Array, x2: Array) -> Array:
        """The chosen elements."""
        raise NotImplementedError

    def is_first(self, x1: Array, x2: Array) -> Array:
        """Where `x1` is chosen, or equal."""
        raise NotImplementedError

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Choose."""
        x1, x2 = inputs
        name = self.function_name
        require_floating(name, "x1", x1)
        if not same_dtype(x2, x1):
            raise InvalidType(name, "x2", f"the dtype of x1: {describe_array(x1)}", describe_array(x2))
        self.retain_inputs((0, 1))
        try:
            return (self.choose(get_backend(x1).xp, x1, x2),)
        except ValueError as error:
            expected = f"a shape that broadcasts with x1: {describe_array(x1)}"
            raise InvalidType(name, "x2", expected, describe_array(x2)) from error

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient flows to the selected element."""
        first = self.is_first(*self.saved_inputs)
        return [grad_outputs[0] * (~first if i else first) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same; the selection is a constant."""
        return self.backward_arrays(target_input_indexes, grad_outputs)


class Maximum(Choice):
    """The larger."""

    def choose(self, xp: Any, x1: Array, x2: Array) -> Array:
        return xp.maximum(x1, x2)

    def is_first(self, x1: Array, x2: Array) -> Array:
        return x1 >= x2


class Minimum(Choice):
    """The smaller."""

    def choose(self, xp: Any, x1: Array, x2: Array) -> Array:
        return xp.minimum(x1, x2)

    def is_first(self, x1: Array, x2: Array) -> Array:
        return x1 <= x2


class Clip(Elementwise):
    """Limit to an interval."""

    def __init__(self, low: float | None, high: float | None) -> None:
        self.low = low
        self.high = high

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.clip(x, self.low, self.high)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * self._within(kept)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * self._within(kept.array)

    def _within(self, x: Array) -> Array:
        if self.low is None:
            return x <= self.high
        return x >= self.low if self.high is None else (x >= self.low) & (x <= self.high)
