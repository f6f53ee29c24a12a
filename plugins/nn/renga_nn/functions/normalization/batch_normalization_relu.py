"""Batch normalization, residual addition and ReLU together, with one pass over memory where there were three."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_core.configuration import config
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast
from renga_nn.functions.activation.relu import relu
from renga_nn.functions.checks import as_number, require_array
from renga_nn.functions.normalization.batch_normalization import (
    BatchNormalization,
    FixedBatchNormalization,
    fixed_batch_normalization,
)
from renga_nn.functions.normalization.batch_normalization_relu_operations import fixed_implementation, implementation
from renga_nn.functions.normalization.batch_statistics import batch_axes, require_statistics, statistics_axes

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["batch_normalization_relu", "fixed_batch_normalization_relu"]

Ints = tuple[int, ...]


def batch_normalization_relu(
    x: Any,
    gamma: Any,
    beta: Any,
    residual: Any = None,
    *,
    eps: float = 2e-5,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    decay: float = 0.9,
    axis: int | Sequence[int] | None = None,
) -> Variable:
    """``relu(batch_normalization(x, gamma, beta) + residual)``, in fewer passes over memory.

    Args:
        x, gamma, beta: See `batch_normalization`.
        residual: Array in the shape and dtype of `x`, which is added before the ReLU, as at the end of a block of a
            residual network (He et al. 2016). None: nothing is added.
        eps, running_mean, running_var, decay, axis: See `batch_normalization`.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: Axes, shapes or dtypes do not fit together.
        ValueError: An axis is out of range or appears twice; the batch is empty.

    >>> import numpy as np
    >>> one, zero = np.ones(1), np.zeros(1)
    >>> batch_normalization_relu(np.array([[1.0], [3.0]]), one, zero, eps=0).array.tolist()
    [[0.0], [1.0]]
    """
    function = "batch_normalization_relu"
    axes = batch_axes(function, x, gamma, beta, running_mean, running_var, axis)
    _require_residual(function, residual, x)
    decay = as_number(function, "decay", decay)
    node = BatchNormalizationReLU(as_number(function, "eps", eps), axes)
    y = node.apply((x, gamma, beta) if residual is None else (x, gamma, beta, residual))[0]
    node.move_averages(running_mean, running_var, decay, math.prod(x.shape[a] for a in axes))
    return y


def fixed_batch_normalization_relu(
    x: Any,
    gamma: Any,
    beta: Any,
    mean: Any,
    var: Any,
    residual: Any = None,
    eps: float = 2e-5,
    axis: int | Sequence[int] | None = None,
) -> Variable:
    """``relu(fixed_batch_normalization(x, gamma, beta, mean, var) + residual)``, in one pass over memory.

    While a tracer records, such as an exporter, it sees the three functions, which it can fold and convert.

    Args:
        x, gamma, beta, mean, var, eps, axis: See `fixed_batch_normalization`.
        residual: See `batch_normalization_relu`.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: Axes, shapes or dtypes do not fit together.
        ValueError: An axis is out of range or appears twice.

    >>> import numpy as np
    >>> one, zero = np.ones(1), np.zeros(1)
    >>> x = np.array([[3.0], [-3.0]])
    >>> fixed_batch_normalization_relu(x, one, zero, mean=one, var=4 * one, eps=0).array.tolist()
    [[1.0], [0.0]]
    """
    function = "fixed_batch_normalization_relu"
    axes = statistics_axes(function, x, gamma, beta, axis)
    for name, value in (("mean", mean), ("var", var)):
        require_statistics(function, name, value, gamma)
    _require_residual(function, residual, x)
    eps = as_number(function, "eps", eps)
    if config.tracers:
        y = fixed_batch_normalization(x, gamma, beta, mean, var, eps, axes)
        return relu(y if residual is None else y + residual)
    given = (x, gamma, beta, mean, var)
    node = FixedBatchNormalizationReLU(eps, axes)
    return node.apply(given if residual is None else (*given, residual))[0]


def _require_residual(function: str, residual: Any, x: Any) -> None:
    """Raise InvalidType unless the residual is None, or like `x`."""
    if residual is None:
        return
    require_array(function, "residual", residual)
    if tuple(residual.shape) != tuple(x.shape) or residual.dtype != x.dtype:
        expected = f"the shape and dtype of x: {describe_array(x)}"
        raise InvalidType(function, "residual", expected, describe_array(residual))


class BatchNormalizationReLU(BatchNormalization):
    """Normalize by the statistics of the batch, add the residual if there is one, and apply ReLU."""

    _kept: tuple[Any, ...]

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute, keeping the statistics."""
        x, gamma, beta, *residual = inputs
        self.retain_inputs((0, 1))
        self.retain_outputs((0,))
        args = (x, gamma, beta, residual[0] if residual else None, self.eps, self.axes)
        self._implementation = implementation(*args)
        y, self.mean, self.var, self._kept = self._implementation.forward(*args)
        return (y,)

    def backward_arrays(self, target_input_indexes: Ints, grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Gradients by the statistics that were kept."""
        (x, gamma), (y,) = self.saved_inputs, self.saved_outputs
        assert self._implementation.backward is not None
        args = (x, gamma, self.mean, self._kept, y, grad_outputs[0], len(self.inputs) > 3, self.axes)
        gradients = self._implementation.backward(*args)
        return [gradients[i].astype(self.inputs[i].dtype, copy=False) for i in target_input_indexes]

    def backward(self, target_input_indexes: Ints, grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        return _masked_gradients(self, super().backward, target_input_indexes, grad_outputs, 3)


class FixedBatchNormalizationReLU(FixedBatchNormalization):
    """As `FixedBatchNormalization`, with ReLU; the sixth input is the residual, if there is one."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """The sign of the result says where the gradient passes."""
        x, gamma, beta, mean, var, *residual = inputs
        self.retain_inputs((0, 1, 3, 4))
        self.retain_outputs((0,))
        args = (x, gamma, beta, mean, var, residual[0] if residual else None, self.eps, self.axes)
        return (fixed_implementation(*args).forward(*args),)

    def backward(self, target_input_indexes: Ints, grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Derivatives as without ReLU, where the result is positive."""
        return _masked_gradients(self, super().backward, target_input_indexes, grad_outputs, 5)


def _masked_gradients(
    node: BatchNormalization | FixedBatchNormalization,
    backward: Callable[[Ints, Sequence[Any]], Sequence[Any]],
    targets: Ints,
    grad_outputs: Sequence[Any],
    residual: int,
) -> Sequence[Any]:
    """What `backward`, without ReLU and residual, makes of the gradient that passes ReLU; differentiable."""
    (y,) = node.get_retained_outputs()
    gy = grad_outputs[0] * (y.array > 0)
    gradients = backward(tuple([i for i in targets if i != residual]), (gy,))
    return [*gradients, cast(gy, node.inputs[residual].dtype)] if residual in targets else gradients
