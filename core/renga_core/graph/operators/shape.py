"""Changing the shape, the order, the dtype or the selection of a Variable's elements."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend, in_native_order
from renga_core.graph.errors import InvalidType, describe_array, require_array
from renga_core.graph.function_node import FunctionNode
from renga_core.graph.operators.axes import is_broadcast_of, normalize_axes, sum_array_to

if TYPE_CHECKING:
    from renga_core.graph.variable import Variable

__all__ = ["broadcast_to", "cast", "get_item", "reshape", "squeeze", "sum_to", "transpose"]


def reshape(x: Any, shape: Sequence[int]) -> Variable:
    """The same elements in another shape; one size may be -1, to be inferred.

    Raises:
        InvalidType: The number of elements differs.

    >>> reshape(np.array([[1.0, 2.0, 3.0, 4.0]]), (2, -1)).array.tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return Reshape(_sizes("reshape", shape)).apply((x,))[0]


def transpose(x: Any, axes: Sequence[int] | None = None) -> Variable:
    """The axes in another order (default: reversed).

    Raises:
        InvalidType: `axes` is not a permutation of the axes of `x`.

    >>> transpose(np.zeros((2, 3, 4))).shape, transpose(np.zeros((2, 3, 4)), (-1, 0, 1)).shape
    ((4, 3, 2), (4, 2, 3))
    """
    require_array("transpose", "x", x)
    try:
        given = range(x.ndim)[::-1] if axes is None else [index(a) for a in axes]
    except TypeError:
        raise TypeError(f"transpose: axes must be a sequence of integers, not {axes!r}") from None
    order = tuple([a % x.ndim if -x.ndim <= a else a for a in given])
    if sorted(order) != list(range(x.ndim)):
        expected = f"a permutation of the {x.ndim} axes of {describe_array(x)}"
        raise InvalidType("transpose", "axes", expected, str(axes))
    return Transpose(order).apply((x,))[0]


def squeeze(x: Any, axis: int | tuple[int, ...] | None = None) -> Variable:
    """Drop axes of size 1 (default: all of them).

    Raises:
        InvalidType: An axis named in `axis` has another size, or there is no such axis.

    >>> squeeze(np.zeros((1, 3, 1))).shape, squeeze(np.zeros((1, 3, 1)), axis=-1).shape
    ((3,), (1, 3))
    """
    require_array("squeeze", "x", x)
    if axis is None:
        return reshape(x, tuple(size for size in x.shape if size != 1))
    axes = normalize_axes("squeeze", axis, x.ndim)
    for a in axes:
        if x.shape[a] != 1:
            raise InvalidType("squeeze", "x", f"axis {a} of size 1", describe_array(x))
    return reshape(x, tuple(size for a, size in enumerate(x.shape) if a not in axes))


def broadcast_to(x: Any, shape: Sequence[int]) -> Variable:
    """Repeat along new leading axes and along axes of size 1, up to `shape`.

    Raises:
        InvalidType: `x` does not broadcast to `shape`.

    >>> broadcast_to(np.array([[1.0], [2.0]]), (2, 3)).array.tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """
    return BroadcastTo(_sizes("broadcast_to", shape)).apply((x,))[0]


def sum_to(x: Any, shape: Sequence[int]) -> Variable:
    """Sum along the axes that broadcasting from `shape` would add or repeat.

    Raises:
        InvalidType: An array of `shape` does not broadcast to the shape of `x`.

    >>> sum_to(np.array([[1.0, 1.0], [2.0, 2.0]]), (2, 1)).array.tolist()
    [[2.0], [4.0]]
    """
    return SumTo(_sizes("sum_to", shape)).apply((x,))[0]


def cast(x: Any, dtype: Any) -> Variable:
    """The elements in another dtype. The gradient has the dtype of `x`.

    >>> cast(np.array([1.5]), "float16").dtype
    dtype('float16')
    """
    return Cast(np.dtype(dtype)).apply((x,))[0]


def get_item(x: Any, slices: Any) -> Variable:
    """``x[slices]``, as in NumPy: integers, slices, ellipsis, None, and arrays of integers or booleans.

    The gradient of an element that is selected several times is the sum of all its gradients.

    Raises:
        IndexError: There is no such element.

    >>> get_item(np.array([[1.0, 2.0], [3.0, 4.0]]), ([0, 1, 1], [1, 0, 0])).array.tolist()
    [2.0, 3.0, 3.0]
    """
    return GetItem(slices).apply((x,))[0]


def _sizes(function: str, shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple; a number means one axis."""
    if shape.__class__ is tuple:
        return shape  # the usual case; its entries are checked when it is used
    try:
        return tuple([index(size) for size in (shape if hasattr(shape, "__iter__") else (shape,))])
    except TypeError:
        raise TypeError(f"{function}: a shape must be a tuple of integers, not {shape!r}") from None


class Reshape(FunctionNode):
    """Reshape to `shape`."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return a view if possible."""
        (x,) = inputs
        try:
            return (x.reshape(self.shape),)
        except ValueError as error:
            raise InvalidType(
                "reshape", "x", f"as many elements as the shape {self.shape} has", describe_array(x)
            ) from error

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Reshape to the input's shape."""
        return (grad_outputs[0].reshape(self.inputs[0].shape),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """Reshape to the input's shape."""
        return (reshape(grad_outputs[0], self.inputs[0].shape),)


class Transpose(FunctionNode):
    """Permute the axes."""

    def __init__(self, axes: tuple[int, ...]) -> None:
        self.axes = axes

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return a view if possible."""
        return (inputs[0].transpose(self.axes),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The inverse permutation."""
        return (grad_outputs[0].transpose(self._inverse()),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """The inverse permutation."""
        return (transpose(grad_outputs[0], self._inverse()),)

    def _inverse(self) -> tuple[int, ...]:
        return tuple(sorted(range(len(self.axes)), key=self.axes.__getitem__))


class BroadcastTo(FunctionNode):
    """Broadcast to `shape`."""

    fresh_gradients = False

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return a read-only view if possible."""
        (x,) = inputs
        try:
            return (get_array_module(x).broadcast_to(x, self.shape),)
        except ValueError as error:
            raise InvalidType(
                "broadcast_to", "x", f"a shape that broadcasts to {self.shape}", describe_array(x)
            ) from error

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Sum what was repeated."""
        return (sum_array_to(grad_outputs[0], self.inputs[0].shape),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """Sum what was repeated."""
        return (sum_to(grad_outputs[0], self.inputs[0].shape),)


class SumTo(FunctionNode):
    """Sum to `shape`."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Sum over leading and size-1 axes."""
        (x,) = inputs
        if not is_broadcast_of(x.shape, self.shape):
            raise InvalidType("sum_to", "x", f"a shape that {self.shape} broadcasts to", describe_array(x))
        return (sum_array_to(x, self.shape),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Repeat what was summed."""
        gy = grad_outputs[0]
        return (get_array_module(gy).broadcast_to(gy, self.inputs[0].shape),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """Repeat what was summed."""
        return (broadcast_to(grad_outputs[0], self.inputs[0].shape),)


class Cast(FunctionNode):
    """Convert to `dtype`."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return a copy, unless the dtype is the same."""
        return (in_native_order(inputs[0].astype(self.dtype, copy=False)),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Convert to the input's dtype."""
        return (grad_outputs[0].astype(self.inputs[0].dtype, copy=False),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """Convert to the input's dtype."""
        return (cast(grad_outputs[0], self.inputs[0].dtype),)


def _is_basic(slices: Any) -> bool:
    """Whether an index selects each element at most once, because it contains no arrays or lists."""
    parts = slices if isinstance(slices, tuple) else (slices,)
    return all(part is None or part is Ellipsis or isinstance(part, (int, np.integer, slice)) for part in parts)


class GetItem(FunctionNode):
    """Select elements."""

    fresh_gradients = True

    def __init__(self, slices: Any) -> None:
        self.slices = slices

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return a view for basic indexing, else a copy."""
        return (inputs[0][self.slices],)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Zeros, with the gradient at the positions of the selected elements."""
        return (_put(grad_outputs[0], self.slices, self.inputs[0].shape),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """The same, differentiable."""
        return GetItemGrad(self.slices, self.inputs[0].shape).apply((grad_outputs[0],))


class GetItemGrad(FunctionNode):
    """Zeros of `shape` with the input added at `slices`: the transpose of `GetItem`."""

    def __init__(self, slices: Any, shape: tuple[int, ...]) -> None:
        self.slices = slices
        self.shape = shape

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Scatter."""
        return (_put(inputs[0], self.slices, self.shape),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Sequence[Any]:
        """Gather."""
        return (get_item(grad_outputs[0], self.slices),)


def _put(values: Array, slices: Any, shape: tuple[int, ...]) -> Array:
    backend = get_backend(values)
    target = backend.xp.zeros(shape, dtype=values.dtype)
    if _is_basic(slices):
        target[slices] = values
    else:
        backend.scatter_add(target, slices, values)
    return target
