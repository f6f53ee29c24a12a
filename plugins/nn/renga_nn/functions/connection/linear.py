"""The fully connected layer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend, is_floating
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import matmul, reshape
from renga_core.kernel import Operation
from renga_nn.functions.checks import as_integer

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["linear"]


def linear(x: Any, W: Any, b: Any = None, n_batch_axes: int = 1) -> Variable:
    """Multiply each row of the batch by a matrix: ``y = x W^T + b``.

    Args:
        x: Batch ``(*batch, *features)``. All axes after the first `n_batch_axes` are flattened.
        W: Weights ``(O, I)``, where ``I`` is the product of the sizes of the feature axes.
        b: Bias ``(O,)``, or None.
        n_batch_axes: Number of axes of the batch, at least 1.

    Returns:
        Variable ``(*batch, O)`` in the dtype of `x`. If `W` has a wider dtype, the product is computed in that.

    Raises:
        InvalidType: Axes, sizes or dtypes do not fit together.
        ValueError: `x` has no feature axis left, or `n_batch_axes` is less than 1.

    >>> import numpy as np
    >>> linear(np.ones((2, 3), np.float32), np.ones((1, 3), np.float32), np.zeros(1, np.float32)).array.tolist()
    [[3.0], [3.0]]
    """
    return Linear(as_integer("linear", "n_batch_axes", n_batch_axes)).apply((x, W) if b is None else (x, W, b))[0]


def _forward(x: Array, W: Array, b: Array | None) -> Array:
    """``x W^T + b`` for matrices."""
    y = x @ W.T
    if b is not None:
        y += b
    # Compute in a wider dtype than x: if W has one, or for bfloat16, which NumPy multiplies in float32.
    return y if y.dtype == x.dtype else y.astype(x.dtype)


def _backward(x: Array, W: Array, gy: Array, wanted: tuple[int, ...]) -> tuple[Array, ...]:
    """Return the required gradients of x, W and b, by number in ascending order."""
    gradients: tuple[Callable[[], Array], ...] = (lambda: gy @ W, lambda: gy.T @ x, lambda: gy.sum(axis=0))
    return tuple([gradients[i]() for i in wanted])


LINEAR = Operation("linear", _forward, _backward, samples="renga_nn.functions.example_arguments:linear")


class Linear(FunctionNode):
    """``x W^T + b`` with all axes of `x` from `n_batch_axes` flattened; `b` is an optional third input."""

    fresh_gradients = True
    _function = "linear"

    def __init__(self, n_batch_axes: int) -> None:
        self.n_batch_axes = n_batch_axes

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """One matrix product."""
        x, W = inputs[:2]
        b = inputs[2] if len(inputs) == 3 else None
        self.retain_inputs((0, 1))
        self._check(x, W, b)
        rows = self._rows(x, W)
        self._implementation = LINEAR.select(get_backend(x), rows, W, b)
        return (self._shaped(self._implementation.forward(rows, W, b), x),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """One matrix product for `x` and one for `W`."""
        x, W = self.saved_inputs
        gy = grad_outputs[0]
        assert self._implementation.backward is not None
        gradients = self._implementation.backward(
            self._rows(x, W), W, gy if gy.ndim == 2 else gy.reshape(-1, W.shape[0]), target_input_indexes
        )
        return self._fitting(target_input_indexes, gradients, x)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        x, W = self.get_retained_inputs()
        gy = reshape(grad_outputs[0], (-1, W.shape[0]))
        gradients: tuple[Callable[[], Variable], ...] = (
            lambda: reshape(matmul(gy, W), x.shape),
            lambda: matmul(gy.T, reshape(x, (-1, W.shape[1]))),
            lambda: gy.sum(axis=0),
        )
        return [_in_dtype(gradients[i](), self.inputs[i].dtype) for i in target_input_indexes]

    def _rows(self, x: Array, W: Array) -> Array:
        return x if x.ndim == 2 else x.reshape(-1, W.shape[1])

    def _shaped(self, y: Array, x: Array) -> Array:
        """The result with the batch axes of `x`."""
        return y if x.ndim == 2 else y.reshape(*x.shape[: self.n_batch_axes], y.shape[1])

    def _fitting(self, targets: tuple[int, ...], gradients: Sequence[Array], x: Array) -> list[Array]:
        """The gradients in shape and dtype of their inputs."""
        fitting = []
        for i, gradient in zip(targets, gradients, strict=True):
            shaped = gradient.reshape(x.shape) if i == 0 and x.ndim != 2 else gradient
            fitting.append(_in_dtype(shaped, self.inputs[i].dtype))
        return fitting

    def _check(self, x: Array, W: Array, b: Array | None) -> None:
        if not 1 <= self.n_batch_axes < x.ndim:
            raise ValueError(
                f"{self._function}: n_batch_axes={self.n_batch_axes} leaves no feature axis or no batch axis "
                f"in x: {describe_array(x)}"
            )
        features = x.shape[1] if x.ndim == 2 else math.prod(x.shape[self.n_batch_axes :])
        if W.ndim != 2 or not is_floating(W.dtype):
            raise InvalidType(self._function, "W", "a floating matrix", describe_array(W))
        if features != W.shape[1] or not is_floating(x.dtype):
            fits = f"floating, {W.shape[1]} features in the axes from {self.n_batch_axes}, as W: {describe_array(W)}"
            raise InvalidType(self._function, "x", fits, describe_array(x))
        if b is not None and b.shape != W.shape[:1]:
            raise InvalidType(self._function, "b", f"shape ({W.shape[0]},)", describe_array(b))


def _in_dtype(gradient: Any, dtype: Any) -> Any:
    """Convert an array or a Variable to the dtype of the input whose gradient it is."""
    return gradient if gradient.dtype == dtype else gradient.astype(dtype)
