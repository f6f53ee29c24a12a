"""Sums and means of Variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, is_floating
from renga_core.graph.errors import InvalidType, require_array
from renga_core.graph.function_node import FunctionNode

if TYPE_CHECKING:
    from renga_core.graph.variable import Variable

__all__ = ["is_broadcast_of", "mean", "normalize_axes", "sum", "sum_array_to"]


def sum(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Variable:
    """Sum over some axes (default: all), in the dtype of `x`.

    Args:
        x: Variable or array.
        axis: Axis or axes to sum over; negative ones count from the end.
        keepdims: Keep the summed axes, with size 1.

    Raises:
        InvalidType: `x` is no array.
        ValueError: There is no such axis, or one is named twice.

    >>> sum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1, keepdims=True).array.tolist()
    [[3.0], [7.0]]
    """
    require_array("sum", "x", x)
    return Sum(normalize_axes("sum", axis, x.ndim), keepdims).apply((x,))[0]


def mean(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Variable:
    """Mean over some axes (default: all). Arguments and errors as `sum`.

    In half precision the sum may overflow where the mean does not, so that it is computed in single precision. The mean
    of nothing is 0.

    >>> mean(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0).array.tolist()
    [2.0, 3.0]
    """
    from renga_core.graph.operators.arithmetic import divide
    from renga_core.graph.operators.shape import cast

    require_array("mean", "x", x)
    axes = normalize_axes("mean", axis, x.ndim)
    if _is_half(x.dtype):
        return cast(mean(cast(x, np.float32), axes, keepdims), x.dtype)
    return divide(Sum(axes, keepdims).apply((x,))[0], max(1, math.prod(x.shape[a] for a in axes)))


def normalize_axes(function: str, axis: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Axes as a sorted tuple of numbers from 0, checked against the number of axes there are."""
    if axis is None:
        return tuple(range(ndim))
    try:
        given = tuple([index(a) for a in (axis if isinstance(axis, Sequence) else (axis,))])
    except TypeError:
        raise TypeError(f"{function}: an axis is an integer, and axes are a tuple of them, not {axis!r}") from None
    for a in given:
        if not -ndim <= a < ndim:
            expected = (f"{-ndim} to {ndim - 1}" if ndim else "none") + f", as there are {ndim} axes"
            raise InvalidType(function, "axis", expected, f"axis {a}")
    axes = tuple(sorted(a % ndim for a in given))
    if len(set(axes)) != len(axes):
        raise InvalidType(function, "axis", "no axis twice", str(given))
    return axes


def is_broadcast_of(shape: tuple[int, ...], original: tuple[int, ...]) -> bool:
    """Whether an array of shape `original` broadcasts to `shape`."""
    lead = len(shape) - len(original)
    return lead >= 0 and all(a in (1, b) for a, b in zip(original, shape[lead:], strict=True))


def sum_array_to(x: Array, shape: tuple[int, ...]) -> Array:
    """Sum an array to a shape from which it can be broadcast: what undoes `broadcast_to` in backward."""
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(i for i, size in enumerate(shape, lead) if size == 1 and x.shape[i] != 1)
    return _sum(x, axes, True).reshape(shape) if axes else x


def _sum(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    """Sum in the dtype of `x` (NumPy would widen small integers), half precision by way of single.

    A running sum of ones in half precision never gets beyond 2048: 2048 + 1 is rounded to 2048. In bfloat16 it stays
    at 256.
    """
    if _is_half(x.dtype):
        return x.sum(axis=axes, dtype=np.float32, keepdims=keepdims).astype(x.dtype)
    return x.sum(axis=axes, dtype=x.dtype, keepdims=keepdims)


def _is_half(dtype: Any) -> bool:
    return bool(dtype.itemsize == 2 and is_floating(dtype))


class Sum(FunctionNode):
    """Sum over `axes`, a sorted tuple of numbers from 0."""

    def __init__(self, axes: tuple[int, ...], keepdims: bool) -> None:
        self.axes = axes
        self.keepdims = keepdims

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Sum in the dtype of the input."""
        return (_sum(inputs[0], self.axes, self.keepdims),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Each summand has the gradient of the sum."""
        shape = self.inputs[0].shape
        gy = grad_outputs[0]
        return (get_array_module(gy).broadcast_to(gy.reshape(self._kept_shape(shape)), shape),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """The same, differentiable."""
        from renga_core.graph.operators.shape import broadcast_to, reshape

        shape = self.inputs[0].shape
        return (broadcast_to(reshape(grad_outputs[0], self._kept_shape(shape)), shape),)

    def _kept_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(1 if i in self.axes else size for i, size in enumerate(shape))
