"""Arithmetic on Variables, with NumPy's broadcasting.

An operand is a Variable, an array (which receives no gradient) or a scalar. A scalar, also one of NumPy's, takes the
dtype of the other operand; an array of shape ``()`` does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph.addition import LARGE, add_large
from renga_core.graph.errors import InvalidType, describe_array
from renga_core.graph.function_node import BOTH, FunctionNode

if TYPE_CHECKING:
    from renga_core.graph.variable import Variable

__all__ = ["absolute", "add", "divide", "multiply", "negative", "power", "subtract"]

_SCALARS = (int, float, complex, np.generic)


def add(x0: Any, x1: Any) -> Variable:
    """``x0 + x1``, broadcast."""
    if isinstance(x1, _SCALARS):
        return AddConstant(_plain(x1)).apply((x0,))[0]
    if isinstance(x0, _SCALARS):
        return AddConstant(_plain(x0)).apply((x1,))[0]
    return Add().apply((x0, x1))[0]


def subtract(x0: Any, x1: Any) -> Variable:
    """``x0 - x1``, broadcast."""
    if isinstance(x1, _SCALARS):
        return AddConstant(-_plain(x1)).apply((x0,))[0]
    if isinstance(x0, _SCALARS):
        return add(negative(x1), x0)
    return Subtract().apply((x0, x1))[0]


def multiply(x0: Any, x1: Any) -> Variable:
    """``x0 * x1``, broadcast."""
    if isinstance(x1, _SCALARS):
        return MultiplyConstant(_plain(x1)).apply((x0,))[0]
    if isinstance(x0, _SCALARS):
        return MultiplyConstant(_plain(x0)).apply((x1,))[0]
    return Multiply().apply((x0, x1))[0]


def divide(x0: Any, x1: Any) -> Variable:
    """``x0 / x1``, broadcast."""
    if isinstance(x1, _SCALARS):
        return DivideByConstant(_plain(x1)).apply((x0,))[0]
    if isinstance(x0, _SCALARS):
        return DivideConstant(_plain(x0)).apply((x1,))[0]
    return Divide().apply((x0, x1))[0]


def power(x0: Any, x1: Any) -> Variable:
    """``x0 ** x1``, broadcast; the gradient with respect to an exponent is defined for positive bases only."""
    if isinstance(x1, _SCALARS):
        return PowerOfVariable(_plain(x1)).apply((x0,))[0]
    if isinstance(x0, _SCALARS):
        return PowerOfConstant(_plain(x0)).apply((x1,))[0]
    return Power().apply((x0, x1))[0]


def negative(x: Any) -> Variable:
    """``-x``."""
    return Negative().apply((x,))[0]


def absolute(x: Any) -> Variable:
    """``|x|``, element by element; the gradient at 0 is 0.

    >>> absolute(np.array([-1.5, 2.0])).array.tolist()
    [1.5, 2.0]
    """
    return Absolute().apply((x,))[0]


def _plain(scalar: Any) -> Any:
    """A scalar as a Python number, which takes the dtype of the array it meets (NEP 50)."""
    return scalar.item() if isinstance(scalar, np.generic) else scalar


class Binary(FunctionNode):
    """A function of two operands that broadcast against each other.

    A subclass defines `forward`, and `gradient` for each operand, which must work on arrays and on Variables.
    Backpropagation sums gradients over the axes that broadcasting added.
    """

    def gradient(self, index: int, gy: Any, kept: tuple[Any, ...]) -> Any:
        """The gradient with respect to operand `index`, in the shape of the output."""
        raise NotImplementedError

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradients on arrays."""
        gy = grad_outputs[0]
        kept = self._saved_inputs
        return [self.gradient(i, gy, kept) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """The gradients on Variables."""
        gy = grad_outputs[0]
        kept = self.get_retained_inputs()
        return [self.gradient(i, gy, kept) for i in target_input_indexes]

    def _explain_failure(self, xs: tuple[Array, ...], error: Exception) -> None:
        """The error for operands that do not broadcast."""
        if isinstance(error, ValueError) and all(x is not None for x in xs):
            x0, x1 = map(describe_array, xs)
            raise InvalidType(self.function_name, "x1", f"a shape that broadcasts with x0: {x0}", x1) from error
        super()._explain_failure(xs, error)


class Add(Binary):
    """``x0 + x1``."""

    formula = "{0} + {1}", ("{gy}", "{gy}")

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        x0, x1 = inputs
        return (x0 + x1 if x0.size < LARGE else add_large(x0, x1),)  # no call for small arrays

    def gradient(self, index: int, gy: Any, kept: tuple[Any, ...]) -> Any:
        return gy

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The incoming gradient, for each operand."""
        return (grad_outputs[0],) * len(target_input_indexes)


class Subtract(Binary):
    """``x0 - x1``."""

    formula = "{0} - {1}", ("{gy}", "-{gy}")

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        return (inputs[0] - inputs[1],)

    def gradient(self, index: int, gy: Any, kept: tuple[Any, ...]) -> Any:
        return gy if index == 0 else -gy


class Multiply(Binary):
    """``x0 * x1``."""

    fresh_gradients = True
    formula = "{0} * {1}", ("{gy} * {1}", "{gy} * {0}")

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        self._input_indexes = BOTH
        return (inputs[0] * inputs[1],)

    def gradient(self, index: int, gy: Any, kept: tuple[Any, ...]) -> Any:
        return gy * kept[1 - index]

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The incoming gradient times the other operand."""
        gy = grad_outputs[0]
        x0, x1 = self._saved_inputs
        if len(target_input_indexes) == 2:
            return gy * x1, gy * x0
        return (gy * (x0 if target_input_indexes[0] else x1),)


class Divide(Binary):
    """``x0 / x1``."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        self._input_indexes = BOTH
        return (inputs[0] / inputs[1],)

    def gradient(self, index: int, gy: Any, kept: tuple[Any, ...]) -> Any:
        x0, x1 = kept
        return gy / x1 if index == 0 else -gy * x0 / (x1 * x1)


class Power(Binary):
    """``x0 ** x1``."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        self._input_indexes = BOTH
        return (inputs[0] ** inputs[1],)

    def gradient(self, index: int, gy: Any, kept: tuple[Any, ...]) -> Any:
        x0, x1 = kept
        if index == 0:
            return gy * x1 * x0 ** (x1 - 1)
        return gy * x0**x1 * _log(x0)


class Unary(FunctionNode):
    """A function of one operand whose gradient formula works on arrays and on Variables."""

    keeps: tuple[int, ...] = (0,)

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute; keep the operand if the gradient needs it."""
        self._input_indexes = self.keeps
        return (self.compute(inputs[0]),)

    def compute(self, x: Array) -> Array:
        """The function on an array."""
        raise NotImplementedError

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        """The gradient with respect to the operand."""
        raise NotImplementedError

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient on arrays."""
        return (self.gradient(grad_outputs[0], self._saved_inputs),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """The gradient on Variables."""
        return (self.gradient(grad_outputs[0], self.get_retained_inputs()),)


class Negative(Unary):
    """``-x``."""

    keeps = ()
    fresh_gradients = True

    def compute(self, x: Array) -> Array:
        return -x

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        return -gy


class Absolute(Unary):
    """``|x|``."""

    fresh_gradients = True

    def compute(self, x: Array) -> Array:
        return abs(x)

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        x = getattr(kept[0], "array", kept[0])
        return gy * get_array_module(x).sign(x)


class WithConstant(Unary):
    """A function of one operand and a scalar.

    Args:
        constant: The scalar, a Python number.
    """

    fresh_gradients = True

    def __init__(self, constant: Any) -> None:
        self.constant = constant

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute in the dtype of the operand, if it is floating; keep the operand if the gradient needs it."""
        (x,) = inputs
        self._input_indexes = self.keeps
        y = self.compute(x)
        # NumPy converts bfloat16, a foreign dtype, to float32 when it meets a Python number.
        if y.dtype is not x.dtype and x.dtype.kind == "V":
            y = y.astype(x.dtype)
        return (y,)


class AddConstant(WithConstant):
    """``x + constant``."""

    function_name = "add"
    keeps = ()
    fresh_gradients = False

    def compute(self, x: Array) -> Array:
        return x + self.constant

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        return gy


class MultiplyConstant(WithConstant):
    """``x * constant``."""

    function_name = "multiply"
    keeps = ()

    def compute(self, x: Array) -> Array:
        return x * self.constant

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        return gy * self.constant


class DivideByConstant(WithConstant):
    """``x / constant``."""

    function_name = "divide"
    keeps = ()

    def compute(self, x: Array) -> Array:
        return x / self.constant

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        return gy / self.constant


class DivideConstant(WithConstant):
    """``constant / x``."""

    function_name = "divide"

    def compute(self, x: Array) -> Array:
        return self.constant / x

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        (x,) = kept
        return gy * -self.constant / (x * x)


class PowerOfVariable(WithConstant):
    """``x ** constant``."""

    function_name = "power"

    def compute(self, x: Array) -> Array:
        return x**self.constant

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        (x,) = kept
        c = self.constant
        if c == 0:
            return gy * 0
        return gy * c if c == 1 else gy * (c * x ** (c - 1))


class PowerOfConstant(WithConstant):
    """``constant ** x``."""

    function_name = "power"

    def compute(self, x: Array) -> Array:
        return self.constant**x

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        (x,) = kept
        return gy * self.constant**x * float(np.log(self.constant))


class Log(Unary):
    """Natural logarithm, for the gradient of `Power`."""

    fresh_gradients = True

    def compute(self, x: Array) -> Array:
        return get_array_module(x).log(x)

    def gradient(self, gy: Any, kept: tuple[Any, ...]) -> Any:
        return gy / kept[0]


def _log(x: Any) -> Any:
    """Natural logarithm of an array or a Variable."""
    return Log().apply((x,))[0] if hasattr(x, "backward") else get_array_module(x).log(x)
