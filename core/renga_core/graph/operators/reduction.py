"""Sums and means of Variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph.errors import require_array
from renga_core.graph.function_node import FunctionNode
from renga_core.graph.operators.arithmetic import divide
from renga_core.graph.operators.axes import is_half, normalize_axes, sum_array
from renga_core.graph.operators.shape import broadcast_to, cast, reshape

if TYPE_CHECKING:
    from renga_core.graph.variable import Variable

__all__ = ["mean", "sum"]


def sum(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Variable:
    """Sum over some axes (default: all), in the dtype of `x`.

    Args:
        x: Variable or array.
        axis: Axis or axes to sum over; negative ones count from the end.
        keepdims: Keep the summed axes, with size 1.

    Raises:
        InvalidType: `x` is not an array.
        ValueError: There is no such axis, or an axis appears twice.

    >>> sum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1, keepdims=True).array.tolist()
    [[3.0], [7.0]]
    """
    require_array("sum", "x", x)
    return Sum(normalize_axes("sum", axis, x.ndim), keepdims).apply((x,))[0]


def mean(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Variable:
    """Mean over some axes (default: all). Arguments and errors as for `sum`.

    In half precision the mean is computed in float32, because the sum could overflow. The mean of no elements is 0.

    >>> mean(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0).array.tolist()
    [2.0, 3.0]
    """
    require_array("mean", "x", x)
    axes = normalize_axes("mean", axis, x.ndim)
    if is_half(x.dtype):
        return cast(mean(cast(x, np.float32), axes, keepdims), x.dtype)
    return divide(Sum(axes, keepdims).apply((x,))[0], max(1, math.prod(x.shape[a] for a in axes)))


class Sum(FunctionNode):
    """Sum over `axes`, a sorted tuple of numbers from 0."""

    def __init__(self, axes: tuple[int, ...], keepdims: bool) -> None:
        self.axes = axes
        self.keepdims = keepdims

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Sum in the dtype of the input."""
        return (sum_array(inputs[0], self.axes, self.keepdims),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Each summand receives the gradient of the sum."""
        shape = self.inputs[0].shape
        gy = grad_outputs[0]
        return (get_array_module(gy).broadcast_to(gy.reshape(self._kept_shape(shape)), shape),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """The same, differentiable."""
        shape = self.inputs[0].shape
        return (broadcast_to(reshape(grad_outputs[0], self._kept_shape(shape)), shape),)

    def _kept_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(1 if i in self.axes else size for i, size in enumerate(shape))
