"""Products, and cumulative sums and products. Gradients of products are exact even if factors are zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode
from renga_core.graph.operators import get_item, reshape, transpose
from renga_core.graph.operators.axes import normalize_axes
from renga_nn.functions.array.concat import concat
from renga_nn.functions.checks import require_floating, wide

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["cumprod", "cumsum", "prod"]


def cumsum(x: Any, axis: int | None = None) -> Variable:
    """Cumulative sums along an axis: ``y[i] = x[0] + … + x[i]``.

    Args:
        x: Variable or array of a floating dtype.
        axis: The axis to sum along; None: along all elements, flattened.

    Returns:
        Variable of the shape of `x`, or ``(x.size,)`` without `axis`.

    Raises:
        InvalidType: `x` is not floating.
        ValueError: There is no such axis.

    >>> import numpy as np
    >>> cumsum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1).array.tolist()
    [[1.0, 3.0], [3.0, 7.0]]
    """
    x, number = _along("cumsum", x, axis)
    return CumSum(number).apply((x,))[0]


def cumprod(x: Any, axis: int | None = None) -> Variable:
    """Cumulative products along an axis: ``y[i] = x[0] * … * x[i]``. Arguments, result and errors as for `cumsum`.

    The number of steps in backward grows with the logarithm of the axis size.

    >>> import numpy as np
    >>> cumprod(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1).array.tolist()
    [[1.0, 2.0], [3.0, 12.0]]
    """
    x, number = _along("cumprod", x, axis)
    return CumProd(number).apply((x,))[0]


def prod(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Variable:
    """Product over some axes (default: all).

    Args:
        x: Variable or array of a floating dtype.
        axis: Axis or axes to reduce.
        keepdims: Keep the reduced axes, with size 1.

    Raises:
        InvalidType: `x` is not floating.
        ValueError: There is no such axis, or an axis appears twice.

    >>> import numpy as np
    >>> prod(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1).array.tolist()
    [2.0, 12.0]
    """
    require_floating("prod", "x", x)
    return Prod(normalize_axes("prod", axis, x.ndim), keepdims).apply((x,))[0]


class CumSum(FunctionNode):
    """Cumulative sums along one axis."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Cumulative sums; half precision is computed in float32."""
        (x,) = inputs
        return (get_array_module(x).cumsum(wide(x), axis=self.axis).astype(x.dtype, copy=False),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Cumulative sums from the end."""
        back = _part(self.axis, slice(None, None, -1))
        return (get_item(cumsum(get_item(grad_outputs[0], back), self.axis), back),)


class CumProd(FunctionNode):
    """Cumulative products along one axis."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Cumulative products; half precision is computed in float32."""
        (x,) = inputs
        self.retain_inputs((0,))
        return (get_array_module(x).cumprod(wide(x), axis=self.axis).astype(x.dtype, copy=False),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The product of factors before i, times ``s[i] = gy[i] + x[i + 1] * s[i + 1]``, without any division.

        Unrolled, ``s[i]`` is a sum over ranges whose length doubles in each step.
        """
        (x,) = self.get_retained_inputs()
        axis, size = self.axis, x.shape[self.axis]
        before = _before(cumprod(x, axis), axis)
        s = grad_outputs[0]
        factor = _shifted(x, axis, 1)
        step = 1
        while step < size:
            s = s + factor * _shifted(s, axis, step)
            factor = factor * _shifted(factor, axis, step)
            step *= 2
        return (before * s,)


class Prod(FunctionNode):
    """Product over `axes`, a sorted tuple of numbers from 0."""

    def __init__(self, axes: tuple[int, ...], keepdims: bool) -> None:
        self.axes = axes
        self.keepdims = keepdims

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """The product; half precision is computed in float32."""
        (x,) = inputs
        self.retain_inputs((0,))
        return (wide(x).prod(axis=self.axes, keepdims=self.keepdims).astype(x.dtype, copy=False),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The product of the factors before times the product of the factors after."""
        (x,) = self.get_retained_inputs()
        kept = tuple([a for a in range(x.ndim) if a not in self.axes])
        order = (*kept, *self.axes)
        moved = transpose(x, order)
        shape = tuple([x.shape[a] for a in kept])
        size = 1
        for a in self.axes:
            size *= x.shape[a]
        flat = reshape(moved, (*shape, size))
        last, back = len(shape), _part(len(shape), slice(None, None, -1))
        before = _before(cumprod(flat, last), last)
        after = get_item(_before(cumprod(get_item(flat, back), last), last), back)
        gx = reshape(before * after * reshape(grad_outputs[0], (*shape, 1)), moved.shape)
        return (transpose(gx, tuple([order.index(a) for a in range(x.ndim)])),)


def _along(function: str, x: Any, axis: int | None) -> tuple[Any, int]:
    """Return `x` and an axis, or all elements flattened."""
    require_floating(function, "x", x)
    if axis is None:
        return reshape(x, (x.size,)), 0
    return x, normalize_axes(function, axis, x.ndim)[0]


def _part(axis: int, part: slice) -> tuple[slice, ...]:
    return (*[slice(None)] * axis, part)


def _before(products: Variable, axis: int) -> Variable:
    """Cumulative products without the last factor; the first is 1."""
    if products.shape[axis] == 0:
        return products
    first = get_array_module(products).ones_like(products.array[_part(axis, slice(1))])
    return concat((first, get_item(products, _part(axis, slice(-1)))), axis)


def _shifted(x: Variable, axis: int, step: int) -> Variable:
    """``x[i + step]``, or 0 outside."""
    step = min(step, x.shape[axis])
    nothing = get_array_module(x).zeros_like(x.array[_part(axis, slice(step))])
    return concat((get_item(x, _part(axis, slice(step, None))), nothing), axis)
