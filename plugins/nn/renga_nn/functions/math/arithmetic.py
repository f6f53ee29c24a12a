"""Sums of several arrays, products along named axes, and matrix products with transposed factors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_core.graph import FunctionNode, InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import add as add_two
from renga_core.graph.operators import broadcast_to, multiply, reshape, transpose
from renga_core.graph.operators import matmul as matmul_plain
from renga_nn.functions.checks import as_integer, require_array, require_same

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["add", "batch_matmul", "bias", "linear_interpolate", "matmul", "scale"]


def add(*xs: Any) -> Variable:
    """The sum of Variables, arrays or scalars, with broadcasting; a single argument is returned unchanged.

    Raises:
        TypeError: There are no arguments.
        InvalidType: The shapes do not broadcast.

    >>> import numpy as np
    >>> add(np.array([1.0, 2.0]), np.array([10.0]), 100).array.tolist()
    [111.0, 112.0]
    """
    if not xs:
        raise TypeError("add: at least one summand is needed")
    if len(xs) == 1:
        return as_variable(xs[0])
    total: Variable = reduce(add_two, xs)
    return total


def matmul(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Variable:
    """``a @ b``: matrices in the last two axes, the others broadcast; a vector is a row or a column.

    Args:
        a, b: Variables or arrays.
        transa, transb: Transpose the matrices of `a`, of `b`, first; a vector stays as it is.

    Raises:
        InvalidType: The shapes do not fit, or an operand is a scalar.

    >>> import numpy as np
    >>> matmul(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), transb=True).array.tolist()
    [[11.0]]
    """
    return matmul_plain(_transposed("a", a) if transa else a, _transposed("b", b) if transb else b)


def batch_matmul(a: Any, b: Any, transa: bool = False, transb: bool = False) -> Variable:
    """The products of two batches of matrices; a vector counts as a column.

    Args:
        a, b: Variables or arrays ``(N, rows, columns)`` or ``(N, rows)``.
        transa, transb: Transpose the matrices of `a`, of `b`, first.

    Returns:
        Variable ``(N, rows, columns)``.

    Raises:
        InvalidType: The arguments are not batches of matrices, or they do not fit.

    >>> import numpy as np
    >>> batch_matmul(np.ones((2, 3)), np.ones((2, 3)), transa=True).array.tolist()
    [[[3.0]], [[3.0]]]
    """
    for name, x in (("a", a), ("b", b)):
        require_array("batch_matmul", name, x)
        if x.ndim not in (2, 3):
            raise InvalidType("batch_matmul", name, "a batch of matrices or vectors", describe_array(x))
    if a.shape[0] != b.shape[0]:
        expected = f"a batch as long as a: {describe_array(a)}"
        raise InvalidType("batch_matmul", "b", expected, describe_array(b))
    a, b = (x if x.ndim == 3 else reshape(x, (*x.shape, 1)) for x in (a, b))
    return matmul(a, b, transa, transb)


def scale(x: Any, y: Any, axis: int = 1) -> Variable:
    """``x * y``, where the axes of `y` are aligned with those of `x` from `axis` on.

    Args:
        x: Variable or array.
        y: Variable or array; its shape equals that of consecutive axes of `x`.
        axis: The first of these axes; negative numbers count from the end.

    Raises:
        InvalidType: The shapes do not fit.

    >>> import numpy as np
    >>> scale(np.ones((1, 2, 2)), np.array([1.0, 2.0])).array.tolist()
    [[[1.0, 1.0], [2.0, 2.0]]]
    """
    return multiply(x, _aligned("scale", x, y, axis))


def bias(x: Any, y: Any, axis: int = 1) -> Variable:
    """``x + y``, where the axes of `y` are aligned with those of `x` from `axis` on; otherwise like `scale`.

    >>> import numpy as np
    >>> bias(np.ones((1, 2, 2)), np.array([1.0, 2.0])).array.tolist()
    [[[2.0, 2.0], [3.0, 3.0]]]
    """
    return add_two(x, _aligned("bias", x, y, axis))


def linear_interpolate(p: Any, x: Any, y: Any) -> Variable:
    """``p * x + (1 - p) * y``, element by element.

    Args:
        p, x, y: Variables or arrays of one shape and one floating dtype.

    Raises:
        InvalidType: Shapes or dtypes differ.

    >>> import numpy as np
    >>> linear_interpolate(np.array([0.25]), np.array([8.0]), np.array([4.0])).array.tolist()
    [5.0]
    """
    for name, other in (("x", x), ("y", y)):
        require_same("linear_interpolate", "p", p, name, other)
    return LinearInterpolate().apply((p, x, y))[0]


class LinearInterpolate(FunctionNode):
    """Linear interpolation between x and y."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """``p x + (1 - p) y``."""
        p, x, y = inputs
        self.retain_inputs((0, 1, 2))
        return (p * x + (1 - p) * y,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """By the product rule."""
        return self._gradients(self.saved_inputs, target_input_indexes, grad_outputs[0])

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same on Variables."""
        return self._gradients(self.get_retained_inputs(), target_input_indexes, grad_outputs[0])

    def _gradients(self, inputs: Sequence[Any], targets: tuple[int, ...], gy: Any) -> list[Any]:
        p, x, y = inputs
        gradients = (lambda: (x - y) * gy, lambda: p * gy, lambda: (1 - p) * gy)
        return [gradients[i]() for i in targets]


def _transposed(argument: str, x: Any) -> Any:
    require_array("matmul", argument, x)
    return transpose(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)) if x.ndim > 1 else x


def _aligned(function: str, x: Any, y: Any, axis: int) -> Variable:
    """`y` in the shape of `x`, its axes aligned with those from `axis` on."""
    require_array(function, "x", x)
    require_array(function, "y", y)
    axis = as_integer(function, "axis", axis)
    first = axis % x.ndim if -x.ndim <= axis < 0 else axis
    end = first + y.ndim
    if first < 0 or tuple(x.shape[first:end]) != tuple(y.shape) or end > x.ndim:
        expected = f"the shape of axes of x from {axis} on: {describe_array(x)}"
        raise InvalidType(function, "y", expected, describe_array(y))
    return broadcast_to(reshape(y, (*y.shape, *[1] * (x.ndim - end))), x.shape)
