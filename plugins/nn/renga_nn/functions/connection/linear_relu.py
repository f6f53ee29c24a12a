"""The fully connected layer and ReLU together: the result of the product is rectified where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.configuration import config
from renga_core.kernel import Implementation, Operation
from renga_nn.functions.activation.relu import ReLU, relu
from renga_nn.functions.checks import as_integer
from renga_nn.functions.connection.linear import LINEAR, Linear, linear

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["linear_relu"]

Ints = tuple[int, ...]


def linear_relu(x: Any, W: Any, b: Any = None, n_batch_axes: int = 1) -> Variable:
    """``relu(linear(x, W, b))``, in fewer passes over memory; the gradient at 0 is 0.

    NaN stays NaN on the CPU. On a GPU, that is for cuBLAS to decide, whose documentation does not say.

    A tracer that records without a graph, as freezing does, sees the two functions, which it can fuse with others.

    Args:
        x, W, b, n_batch_axes: See `linear`.

    Returns:
        Variable ``(*batch, O)`` in the dtype of `x`.

    Raises:
        InvalidType: Axes, sizes or dtypes do not fit together.
        ValueError: `x` has no feature axis left, or `n_batch_axes` is less than 1.

    >>> import numpy as np
    >>> linear_relu(np.ones((1, 3)), np.array([[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]])).array.tolist()
    [[3.0, 0.0]]
    """
    n_batch_axes = as_integer("linear_relu", "n_batch_axes", n_batch_axes)
    if config.tracers and not config.enable_backprop:
        return relu(linear(x, W, b, n_batch_axes))
    node = LinearReLU(n_batch_axes)
    return node.apply((x, W) if b is None else (x, W, b))[0]


def _forward(x: Array, W: Array, b: Array | None) -> Array:
    """``max(0, x W^T + b)`` for matrices."""
    y = LINEAR.reference.forward(x, W, b)
    return get_array_module(y).maximum(y, 0)


def _backward(x: Array, W: Array, y: Array, gy: Array, wanted: Ints) -> tuple[Array, ...]:
    """Return the required gradients of x, W and b, by number in ascending order."""
    assert LINEAR.reference.backward is not None
    gradients: tuple[Array, ...] = LINEAR.reference.backward(x, W, gy * (y > 0), wanted)
    return gradients


LINEAR_RELU = Operation("linear_relu", _forward, _backward, samples="renga_nn.functions.example_arguments:linear_relu")


def _forward_in_parts(x: Array, W: Array, b: Array | None) -> Array:
    y = LINEAR.select(get_backend(x), x, W, b).forward(x, W, b)
    return _rectifier(y).forward(y)


def _backward_in_parts(x: Array, W: Array, y: Array, gy: Array, wanted: Ints) -> tuple[Array, ...]:
    chosen, rectifier = LINEAR.select(get_backend(x), x, W, None), _rectifier(y)
    assert chosen.backward is not None
    assert rectifier.backward is not None
    gradients: tuple[Array, ...] = chosen.backward(x, W, rectifier.backward(y, gy), wanted)
    return gradients


def _rectifier(y: Array) -> Implementation:
    assert ReLU.operation is not None
    return ReLU.operation.select(get_backend(y), y)


_IN_PARTS = Implementation("in parts", _forward_in_parts, _backward_in_parts)


def _implementation(x: Array, W: Array, b: Array | None) -> Implementation:
    """What computes the operation: a kernel, or the best kernels of its parts."""
    found = LINEAR_RELU.select(get_backend(x), x, W, b)
    return _IN_PARTS if found is LINEAR_RELU.reference else found


class LinearReLU(Linear):
    """``max(0, x W^T + b)``; the sign of the result says where the gradient passes."""

    _function = "linear_relu"

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """One matrix product."""
        x, W = inputs[:2]
        b = inputs[2] if len(inputs) == 3 else None
        self.retain_inputs((0, 1))
        self.retain_outputs((0,))
        self._check(x, W, b)
        rows = self._rows(x, W)
        self._implementation = _implementation(rows, W, b)
        return (self._shaped(self._implementation.forward(rows, W, b), x),)

    def backward_arrays(self, target_input_indexes: Ints, grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """As of `Linear`, of the gradient that passes."""
        (x, W), (y,) = self.saved_inputs, self.saved_outputs
        assert self._implementation.backward is not None
        y, gy = [each if each.ndim == 2 else each.reshape(-1, W.shape[0]) for each in (y, grad_outputs[0])]
        gradients = self._implementation.backward(self._rows(x, W), W, y, gy, target_input_indexes)
        return self._fitting(target_input_indexes, gradients, x)

    def backward(self, target_input_indexes: Ints, grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        (y,) = self.get_retained_outputs()
        return super().backward(target_input_indexes, (grad_outputs[0] * (y.array > 0),))
