"""Root mean square normalization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.backend import Array, get_array_module, get_backend, is_floating
from renga_core.graph import FunctionNode, InvalidType, Variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast
from renga_core.kernel import Operation
from renga_nn.functions.checks import as_number, require_array, wide
from renga_nn.functions.composed import gradients_of

__all__ = ["rms_normalization"]

_NAME = "rms_normalization"


def rms_normalization(x: Any, gamma: Any, eps: float = 1e-6) -> Variable:
    """Divide each row by its root mean square; scale its units (Zhang & Sennrich 2019, equation 4).

    ``y = gamma * x / sqrt(mean(x ** 2) + eps)``, with the mean over the last axis.

    Args:
        x: Batch ``(..., M)``.
        gamma: Scale of each unit, ``(M,)``.
        eps: Added to the mean square to avoid division by zero.

    Returns:
        Variable of the shape and dtype of `x`. The mean square of half precision is computed in float32.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.

    >>> import numpy as np
    >>> rms_normalization(np.array([[3.0, 4.0, 0.0, 0.0]]), np.ones(4), eps=0).array.round(6).tolist()
    [[1.2, 1.6, 0.0, 0.0]]
    """
    require_array(_NAME, "x", x)
    if x.ndim < 1 or not is_floating(x.dtype) or x.shape[-1] == 0:
        raise InvalidType(_NAME, "x", "at least 1 axis, units, and a floating dtype", describe_array(x))
    require_array(_NAME, "gamma", gamma)
    if tuple(gamma.shape) != (x.shape[-1],) or not is_floating(gamma.dtype):
        raise InvalidType(_NAME, "gamma", f"floating, of shape ({x.shape[-1]},)", describe_array(gamma))
    return RMSNormalization(as_number(_NAME, "eps", eps)).apply((x, gamma))[0]


def _forward(x: Array, gamma: Array, eps: float) -> tuple[Array, Array]:
    """Return the normalized rows, and the reciprocal root mean square of each row, ``(..., 1)``."""
    values = wide(x)
    inv_rms = (values * values).mean(axis=-1, keepdims=True)
    inv_rms += eps
    inv_rms = 1 / get_array_module(x).sqrt(inv_rms)
    y = values * inv_rms
    y *= gamma
    return y.astype(x.dtype, copy=False), inv_rms


def _backward(x: Array, gamma: Array, inv_rms: Array, gy: Array) -> tuple[Array, Array]:
    """Gradients of x, in its dtype, and of gamma. With ``n = x * inv_rms`` and ``s = gy * gamma``, the gradient of x is
    ``inv_rms * (s - n * mean(s * n))``.
    """
    normalized = wide(x) * inv_rms
    gy = gy.astype(normalized.dtype, copy=False)
    ggamma = (gy * normalized).sum(axis=tuple(range(x.ndim - 1)))
    scaled = gy * gamma
    normalized *= (scaled * normalized).mean(axis=-1, keepdims=True)
    scaled -= normalized
    scaled *= inv_rms
    return scaled.astype(x.dtype, copy=False), ggamma


RMS_NORMALIZATION = Operation(
    _NAME, _forward, _backward, samples="renga_nn.functions.example_arguments:rms_normalization"
)


class RMSNormalization(FunctionNode):
    """Divide by the root mean square of the last axis."""

    fresh_gradients = True

    def __init__(self, eps: float) -> None:
        self.eps = eps

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute; keep one number per row."""
        self.retain_inputs((0, 1))
        self._implementation = RMS_NORMALIZATION.select(get_backend(inputs[0]), *inputs, self.eps)
        y, self._inv_rms = self._implementation.forward(*inputs, self.eps)
        return (y,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Gradients by the root mean squares that were kept."""
        assert self._implementation.backward is not None
        gx, ggamma = self._implementation.backward(*self.saved_inputs, self._inv_rms, grad_outputs[0])
        gradients = gx, ggamma.astype(self.inputs[1].dtype, copy=False)
        return [gradients[i] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Compute the same by simpler functions."""
        return gradients_of(self._composed, self.get_retained_inputs(), target_input_indexes, grad_outputs)

    def _composed(self, x: Variable, gamma: Variable) -> Sequence[Variable]:
        dtype = wide(x.array[:0]).dtype
        values = cast(x, dtype)
        mean_square = (values * values).sum(axis=-1, keepdims=True) / x.shape[-1]
        return (cast(values * (mean_square + self.eps) ** -0.5 * cast(gamma, dtype), x.dtype),)
