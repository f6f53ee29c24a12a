"""Matrix products of Variables and of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_backend
from renga_core.graph.errors import InvalidType, describe_array, require_array
from renga_core.graph.function_node import FunctionNode
from renga_core.graph.operators.shape import reshape, transpose
from renga_core.kernel import Operation

if TYPE_CHECKING:
    from renga_core.graph.variable import Variable

__all__ = ["matmul", "multiply_matrices"]


def matmul(a: Any, b: Any) -> Variable:
    """``a @ b`` like `numpy.matmul`: matrices in the last two axes, other axes broadcast; vectors are allowed.

    Raises:
        InvalidType: An operand is a scalar, the inner sizes differ, or the other axes do not broadcast.
    """
    for name, x in (("a", a), ("b", b)):
        require_array("matmul", name, x)
        if x.ndim == 0:
            raise InvalidType("matmul", name, "at least one axis", describe_array(x))
    rows, columns = a.shape, b.shape
    inner = columns[0] if len(columns) == 1 else columns[-2]
    if rows[-1] != inner:
        expected = f"last axis of size {inner} to match b: {describe_array(b)}"
        raise InvalidType("matmul", "a", expected, describe_array(a))
    if len(rows) > 1 and len(columns) > 1:
        if rows[:-2] != columns[:-2]:
            _require_broadcast(a, b)
        return MatMul().apply((a, b))[0]
    row = reshape(a, (1, inner)) if len(rows) == 1 else a
    column = reshape(b, (inner, 1)) if len(columns) == 1 else b
    y = MatMul().apply((row, column))[0]
    shape = (y.shape[:-2] if len(rows) == 1 else y.shape[:-1]) + (() if len(columns) == 1 else y.shape[-1:])
    return reshape(y, shape)


def _require_broadcast(a: Any, b: Any) -> None:
    try:
        np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        expected = f"axes before the last two that broadcast with those of b: {describe_array(b)}"
        raise InvalidType("matmul", "a", expected, describe_array(a)) from None


def multiply_matrices(a: Array, b: Array) -> Array:
    """``a @ b`` for arrays of at least two axes, by the fastest kernel; the axes before the last two broadcast.

    All large matrix products of the library use this function, so that they share one pool of threads.
    """
    return MATMUL.select(get_backend(a), a, b).forward(a, b)


def _forward(a: Array, b: Array) -> Array:
    """Matrices in the last two axes; the axes before them broadcast."""
    y = a @ b
    # NumPy multiplies matrices of bfloat16, a foreign dtype, in float32.
    return y if y.dtype == a.dtype or a.dtype != b.dtype else y.astype(a.dtype)


MATMUL = Operation("matmul", _forward, samples="renga_testing.operator_samples:matmul")


class MatMul(FunctionNode):
    """Product of matrices in the last two axes; the axes before them broadcast."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """``a @ b``."""
        self.retain_inputs((0, 1))
        return (multiply_matrices(*inputs),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``gy @ b.T`` and ``a.T @ gy``."""
        a, b = self._saved_inputs
        gy = grad_outputs[0]
        products = (
            lambda: multiply_matrices(gy, b.swapaxes(-1, -2)),
            lambda: multiply_matrices(a.swapaxes(-1, -2), gy),
        )
        return [products[i]() for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """The same products, differentiable."""
        a, b = self.get_retained_inputs()
        gy = grad_outputs[0]
        products = (lambda: matmul(gy, _swap(b)), lambda: matmul(_swap(a), gy))
        return [products[i]() for i in target_input_indexes]


def _swap(x: Variable) -> Variable:
    return transpose(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))
