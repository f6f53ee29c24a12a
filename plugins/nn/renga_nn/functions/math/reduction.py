"""Reductions: means, extremes, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import mean as mean_of
from renga_core.graph.operators import reshape
from renga_core.graph.operators import sum as sum_of
from renga_core.graph.operators.axes import normalize_axes
from renga_nn.functions.checks import require_array, require_floating, wide

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["average", "logsumexp", "max", "mean", "min"]

Axis = int | tuple[int, ...] | None


def average(x: Any, axis: Axis = None, weights: Any = None, keepdims: bool = False) -> Variable:
    """Mean over some axes (default: all), weighted: ``sum(x * weights) / sum(weights)``.

    Args:
        x: Variable or array of a floating dtype.
        axis: Axis or axes to average over.
        weights: Variable or array with the shape of the averaged axes; None: all alike.
        keepdims: Keep the averaged axes, with size 1.

    Raises:
        InvalidType: `x` is not an array, or `weights` has another shape.
        ValueError: There is no such axis, or an axis appears twice.

    >>> import numpy as np
    >>> average(np.array([1.0, 4.0]), weights=np.array([2.0, 1.0])).array.tolist()
    2.0
    """
    return _average("average", x, axis, weights, keepdims)


def mean(x: Any, axis: Axis = None, weights: Any = None, keepdims: bool = False) -> Variable:
    """Another name of `average`. Arguments and errors are the same.

    >>> import numpy as np
    >>> mean(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0).array.tolist()
    [2.0, 3.0]
    """
    return _average("mean", x, axis, weights, keepdims)


def _average(function: str, x: Any, axis: Axis, weights: Any, keepdims: bool) -> Variable:
    require_array(function, "x", x)
    axes = normalize_axes(function, axis, x.ndim)
    if weights is None:
        return mean_of(x, axes, keepdims)
    require_array(function, "weights", weights)
    expected = tuple(x.shape[a] for a in axes)
    if tuple(weights.shape) != expected:
        raise InvalidType(function, "weights", f"the shape of the averaged axes {expected}", describe_array(weights))
    aligned = reshape(weights, tuple(x.shape[a] if a in axes else 1 for a in range(x.ndim)))
    return sum_of(x * aligned, axes, keepdims) / sum_of(weights)


def max(x: Any, axis: Axis = None, keepdims: bool = False) -> Variable:
    """The largest element over some axes (default: all). Ties share the gradient.

    Args:
        x: Variable or array of a floating dtype.
        axis: Axis or axes to reduce.
        keepdims: Keep the reduced axes, with size 1.

    Raises:
        InvalidType: `x` is not floating, or there are no elements.
        ValueError: There is no such axis, or an axis appears twice.

    >>> import numpy as np
    >>> max(np.array([[1.0, 5.0], [7.0, 3.0]]), axis=1).array.tolist()
    [5.0, 7.0]
    """
    require_array("max", "x", x)
    return Max(normalize_axes("max", axis, x.ndim), keepdims).apply((x,))[0]


def min(x: Any, axis: Axis = None, keepdims: bool = False) -> Variable:
    """The smallest element over some axes (default: all). Arguments, errors and gradients as `max`.

    >>> import numpy as np
    >>> min(np.array([[1.0, 5.0], [7.0, 3.0]]), axis=1).array.tolist()
    [1.0, 3.0]
    """
    require_array("min", "x", x)
    return Min(normalize_axes("min", axis, x.ndim), keepdims).apply((x,))[0]


def logsumexp(x: Any, axis: Axis = None) -> Variable:
    """``log(sum(exp(x)))`` over some axes (default: all). The largest element is subtracted first: nothing overflows.

    Args:
        x: Variable or array of a floating dtype.
        axis: Axis or axes to reduce.

    Raises:
        InvalidType: `x` is not floating, or there are no elements.
        ValueError: There is no such axis, or an axis appears twice.

    >>> import numpy as np
    >>> logsumexp(np.array([1000.0, 1000.0])).array.round(4).tolist()
    1000.6931
    """
    require_array("logsumexp", "x", x)
    return LogSumExp(normalize_axes("logsumexp", axis, x.ndim)).apply((x,))[0]


class Reduction(FunctionNode):
    """A reduction over `axes`, a sorted tuple of numbers from 0."""

    fresh_gradients = True

    def __init__(self, axes: tuple[int, ...], keepdims: bool = False) -> None:
        self.axes = axes
        self.keepdims = keepdims

    def compute(self, xp: Any, x: Array) -> Array:
        """The reduced array."""
        raise NotImplementedError

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Reduce, keeping input and output."""
        (x,) = inputs
        name = self.function_name
        require_floating(name, "x", x)
        if any(x.shape[a] == 0 for a in self.axes):
            raise InvalidType(name, "x", f"at least one element along axes {self.axes}", describe_array(x))
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return (self.compute(get_backend(x).xp, x),)

    def kept_shape(self) -> tuple[int, ...]:
        """The output's shape with the reduced axes kept, with size 1."""
        return tuple([1 if a in self.axes else size for a, size in enumerate(self.inputs[0].shape)])


class Extreme(Reduction):
    """The largest or smallest element; ties share the gradient equally, so that it adds up to gy."""

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """To the chosen elements."""
        return (self._share() * grad_outputs[0].reshape(self.kept_shape()),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same; the selection is a constant."""
        return (self._share() * reshape(grad_outputs[0], self.kept_shape()),)

    def _share(self) -> Array:
        (x,) = self.saved_inputs
        chosen = wide((x == self.saved_outputs[0].reshape(self.kept_shape())).astype(x.dtype))
        # If the result is NaN, nothing equals it: the count is 0, and the gradient is 0, without division by 0.
        chosen /= get_backend(x).xp.maximum(chosen.sum(axis=self.axes, keepdims=True), 1)
        return chosen.astype(x.dtype, copy=False)


class Max(Extreme):
    """The largest element."""

    def compute(self, xp: Any, x: Array) -> Array:
        return x.max(axis=self.axes, keepdims=self.keepdims)


class Min(Extreme):
    """The smallest element."""

    def compute(self, xp: Any, x: Array) -> Array:
        return x.min(axis=self.axes, keepdims=self.keepdims)


class LogSumExp(Reduction):
    """Logarithm of the sum of exponentials; the derivative is ``exp(x - y)``."""

    def compute(self, xp: Any, x: Array) -> Array:
        values = wide(x)
        largest = values.max(axis=self.axes, keepdims=True)
        # Keep infinite maxima: inf - inf would be NaN.
        largest = xp.where(xp.isfinite(largest), largest, 0)
        total = xp.log(xp.exp(values - largest).sum(axis=self.axes, keepdims=True)) + largest
        return total.reshape([size for a, size in enumerate(x.shape) if a not in self.axes]).astype(x.dtype, copy=False)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``gy exp(x - y)``."""
        (x,), (y,) = self.saved_inputs, self.saved_outputs
        shape = self.kept_shape()
        gx = get_backend(x).xp.exp(x - y.reshape(shape))
        gx *= grad_outputs[0].reshape(shape)
        return (gx,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``gy exp(x - y)``."""
        from renga_nn.functions.math.exponential import exp

        (x,), (y,) = self.get_retained_inputs(), self.get_retained_outputs()
        shape = self.kept_shape()
        return (exp(x - reshape(y, shape)) * reshape(grad_outputs[0], shape),)
