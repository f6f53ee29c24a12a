"""Batch normalization, in training and with fixed statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import FunctionNode
from renga_core.graph.operators import broadcast_to, cast, reshape
from renga_core.kernel import Operation
from renga_core.tracepoints import side_effect
from renga_nn.functions.checks import as_number, wide
from renga_nn.functions.normalization.batch_statistics import (
    batch_axes,
    expanded,
    move_averages,
    require_statistics,
    statistics_axes,
)

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = [
    "BatchNormalization",
    "FixedBatchNormalization",
    "batch_normalization",
    "fixed_batch_normalization",
    "normalized",
]


def batch_normalization(
    x: Any,
    gamma: Any,
    beta: Any,
    *,
    eps: float = 2e-5,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    decay: float = 0.9,
    axis: int | Sequence[int] | None = None,
) -> Variable:
    """Normalize each channel of a batch to mean `beta` and standard deviation `gamma` (Ioffe & Szegedy 2015, alg. 1).

    ``y = gamma * (x - mean) / sqrt(var + eps) + beta``, with mean and (biased) variance over `axis`.

    Args:
        x: Batch, such as ``(N, C)`` or ``(N, C, H, W)``.
        gamma, beta: Scale and shift, in the shape of `x` without the axes in `axis`: ``(C,)``.
        eps: Added to the variance to avoid division by zero.
        running_mean, running_var: Arrays in the shape of `gamma`, updated in place with the moving averages of mean and
            (unbiased) variance, which `fixed_batch_normalization` uses in test mode. None: no update.
        decay: Weight of the old values in that update.
        axis: Axes to compute statistics over; default: the first, and all axes after those of `gamma`.

    Returns:
        Variable of the shape and dtype of `x`. Statistics of float16 are computed in float32.

    Raises:
        InvalidType: Axes or dtypes do not fit together.
        ValueError: An axis is out of range or appears twice; the batch is empty.

    >>> import numpy as np
    >>> one, zero = np.ones(1), np.zeros(1)
    >>> batch_normalization(np.array([[1.0], [3.0]]), one, zero, eps=0).array.tolist()
    [[-1.0], [1.0]]
    """
    axes = batch_axes("batch_normalization", x, gamma, beta, running_mean, running_var, axis)
    decay = as_number("batch_normalization", "decay", decay)
    node = BatchNormalization(as_number("batch_normalization", "eps", eps), axes)
    y = node.apply((x, gamma, beta))[0]
    node.move_averages(running_mean, running_var, decay, math.prod(x.shape[a] for a in axes))
    return y


def fixed_batch_normalization(
    x: Any, gamma: Any, beta: Any, mean: Any, var: Any, eps: float = 2e-5, axis: int | Sequence[int] | None = None
) -> Variable:
    """Batch normalization with given statistics, as in test mode (ibid., algorithm 2, line 11).

    Args:
        x, gamma, beta, eps, axis: See `batch_normalization`.
        mean, var: Statistics, in the shape of `gamma`.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: Axes or dtypes do not fit together.
        ValueError: An axis is out of range or appears twice.

    >>> import numpy as np
    >>> one, zero = np.ones(1), np.zeros(1)
    >>> fixed_batch_normalization(np.array([[3.0]]), one, zero, mean=one, var=4 * one, eps=0).array.tolist()
    [[1.0]]
    """
    return normalized("fixed_batch_normalization", x, gamma, beta, mean, var, eps, axis)


def normalized(
    function: str, x: Any, gamma: Any, beta: Any, mean: Any, var: Any, eps: float, axis: int | Sequence[int] | None
) -> Variable:
    """`fixed_batch_normalization`, with the name of `function` in errors."""
    axes = statistics_axes(function, x, gamma, beta, axis)
    for name, value in (("mean", mean), ("var", var)):
        require_statistics(function, name, value, gamma)
    return FixedBatchNormalization(as_number(function, "eps", eps), axes).apply((x, gamma, beta, mean, var))[0]


def _forward(
    x: Array, gamma: Array, beta: Array, eps: float, axes: tuple[int, ...]
) -> tuple[Array, Array, Array, Array]:
    """Return the normalized batch, mean, variance, and the reciprocal of the standard deviation."""
    xp = get_array_module(x)
    values = wide(x)
    mean = values.mean(axis=axes, keepdims=True)
    centred = values - mean
    var = (centred * centred).mean(axis=axes)
    inv_std = 1 / xp.sqrt(var + eps)
    shape = mean.shape
    centred *= (gamma * inv_std).astype(values.dtype, copy=False).reshape(shape)
    centred += beta.astype(values.dtype, copy=False).reshape(shape)
    return centred.astype(x.dtype, copy=False), mean.reshape(var.shape), var, inv_std


def _backward(
    x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array, axes: tuple[int, ...]
) -> tuple[Array, Array, Array]:
    """Gradients of x, in its dtype, and of gamma and beta (ibid., section 3)."""
    shape = expanded(x.shape, axes)
    values, gradient = wide(x), wide(gy)
    normalized = (values - mean.reshape(shape)) * inv_std.reshape(shape)
    gbeta = gradient.sum(axis=axes)
    ggamma = (gradient * normalized).sum(axis=axes)
    share = 1.0 / math.prod(x.shape[a] for a in axes)
    normalized *= (ggamma * -share).reshape(shape)
    normalized += gradient
    normalized -= (gbeta * share).reshape(shape)
    normalized *= (gamma * inv_std).astype(values.dtype, copy=False).reshape(shape)
    return normalized.astype(x.dtype, copy=False), ggamma, gbeta


BATCH_NORMALIZATION = Operation(
    "batch_normalization", _forward, _backward, samples="renga_nn.functions.example_arguments:batch_normalization"
)


class BatchNormalization(FunctionNode):
    """Normalize by the statistics of the batch.

    Attributes:
        mean, var: The statistics, after the function was applied.
    """

    fresh_gradients = True

    mean: Array
    var: Array

    def __init__(self, eps: float, axes: tuple[int, ...]) -> None:
        self.eps = eps
        self.axes = axes

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Normalize, keeping the statistics."""
        x, gamma, beta = inputs
        self.retain_inputs((0, 1))
        if 0 in x.shape:  # no channels; libraries do not support this
            self._implementation = BATCH_NORMALIZATION.reference
        else:
            self._implementation = BATCH_NORMALIZATION.select(get_backend(x), x, gamma, beta, self.eps, self.axes)
        y, self.mean, self.var, self._inv_std = self._implementation.forward(x, gamma, beta, self.eps, self.axes)
        return (y,)

    def move_averages(self, running_mean: Array | None, running_var: Array | None, decay: float, count: int) -> None:
        """Update the moving averages by the statistics of this batch, `count` elements per channel."""
        if running_mean is None and running_var is None:
            return

        def move() -> None:
            # The moving average takes the unbiased variance (ibid., algorithm 2, line 10).
            unbiased = count / max(count - 1, 1)
            move_averages(decay, (running_mean, self.mean, 1.0), (running_var, self.var, unbiased))

        side_effect(move)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Gradients by the statistics that were kept."""
        x, gamma = self.saved_inputs
        assert self._implementation.backward is not None
        gradients = self._implementation.backward(x, gamma, self.mean, self._inv_std, grad_outputs[0], self.axes)
        return [gradients[i].astype(self.inputs[i].dtype, copy=False) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable; the statistics are recomputed, because they depend on x."""
        x, gamma = self.get_retained_inputs()
        shape = expanded(x.shape, self.axes)
        wide = cast(x, self.mean.dtype)
        gy = cast(grad_outputs[0], self.mean.dtype)
        centred = wide - wide.mean(axis=self.axes, keepdims=True)
        inv_std = ((centred * centred).mean(axis=self.axes, keepdims=True) + self.eps) ** -0.5
        normalized = centred * inv_std
        product = gy * normalized

        def gx() -> Variable:
            share = normalized * product.mean(axis=self.axes, keepdims=True) + gy.mean(axis=self.axes, keepdims=True)
            return reshape(cast(gamma, wide.dtype), shape) * inv_std * (gy - share)

        gradients: tuple[Callable[[], Variable], ...] = (
            gx,
            lambda: product.sum(axis=self.axes),
            lambda: gy.sum(axis=self.axes),
        )
        return [cast(gradients[i](), self.inputs[i].dtype) for i in target_input_indexes]


def _fixed(x: Array, gamma: Array, beta: Array, mean: Array, var: Array, eps: float, axes: tuple[int, ...]) -> Array:
    """One multiplication and one addition for each element."""
    shape = expanded(x.shape, axes)
    values = wide(x)
    scale = gamma / get_array_module(x).sqrt(wide(var) + eps)
    shift = beta - mean * scale
    y = values * scale.astype(values.dtype, copy=False).reshape(shape)
    y += shift.astype(values.dtype, copy=False).reshape(shape)
    return y.astype(x.dtype, copy=False)


BATCH_NORMALIZATION_FIXED = Operation(
    "batch_normalization_fixed", _fixed, samples="renga_nn.functions.example_arguments:batch_normalization_fixed"
)


class FixedBatchNormalization(FunctionNode):
    """Normalize by given statistics: inputs are x, gamma, beta, mean and var."""

    fresh_gradients = True

    def __init__(self, eps: float, axes: tuple[int, ...]) -> None:
        self.eps = eps
        self.axes = axes

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Nothing of the result is needed again."""
        x, gamma, beta, mean, var = inputs
        self.retain_inputs((0, 1, 3, 4))
        args = (x, gamma, beta, mean, var, self.eps, self.axes)
        return (BATCH_NORMALIZATION_FIXED.select(get_backend(x), *args).forward(*args),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Derivatives of ``gamma * (x - mean) * (var + eps) ** -0.5 + beta``."""
        x, gamma, mean, var = self.get_retained_inputs()
        dtype = np.promote_types(x.dtype, np.float32)
        shape = expanded(x.shape, self.axes)
        gy, wide = cast(grad_outputs[0], dtype), cast(x, dtype)
        scale = cast(gamma, dtype)
        inv_std = (cast(var, dtype) + self.eps) ** -0.5

        def over_channels(v: Variable) -> Variable:
            return broadcast_to(reshape(v, shape), x.shape)

        def ggamma() -> Variable:
            centred = wide - over_channels(cast(mean, dtype))
            return (gy * centred).sum(axis=self.axes) * inv_std

        gradients: tuple[Callable[[], Variable], ...] = (
            lambda: gy * over_channels(scale * inv_std),
            ggamma,
            lambda: gy.sum(axis=self.axes),
            lambda: gy.sum(axis=self.axes) * scale * inv_std * -1.0,
            lambda: ggamma() * scale * inv_std * inv_std * -0.5,
        )
        return [cast(gradients[i](), self.inputs[i].dtype) for i in target_input_indexes]
