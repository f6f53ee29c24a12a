"""Layer normalization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend, is_floating
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast
from renga_core.kernel import Operation
from renga_nn.functions.checks import as_number, require_array, wide

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["layer_normalization"]


def layer_normalization(x: Any, gamma: Any, beta: Any, eps: float = 1e-5) -> Variable:
    """Normalize each row of a batch to mean 0 and variance 1; scale and shift its units (Ba et al. 2016, eq. 4).

    ``y = gamma * (x - mean) / sqrt(var + eps) + beta``, with mean and (biased) variance over the last axis.

    Args:
        x: Batch ``(..., M)``.
        gamma, beta: Scale and shift of each unit, ``(M,)``.
        eps: Added to the variance to avoid division by zero.

    Returns:
        Variable of the shape and dtype of `x`. Statistics of float16 are computed in float32.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.

    >>> import numpy as np
    >>> layer_normalization(np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2), eps=0).array.tolist()
    [[-1.0, 1.0]]
    """
    require_array("layer_normalization", "x", x)
    if x.ndim < 2 or not is_floating(x.dtype) or x.shape[-1] == 0:
        raise InvalidType("layer_normalization", "x", "at least 2 axes, units, and a floating dtype", describe_array(x))
    for name, value in (("gamma", gamma), ("beta", beta)):
        require_array("layer_normalization", name, value)
        if tuple(value.shape) != (x.shape[-1],) or not is_floating(value.dtype):
            raise InvalidType(
                "layer_normalization", name, f"floating, of shape ({x.shape[-1]},)", describe_array(value)
            )
    return LayerNormalization(as_number("layer_normalization", "eps", eps)).apply((x, gamma, beta))[0]


def _forward(x: Array, gamma: Array, beta: Array, eps: float) -> tuple[Array, Array, Array]:
    """Return the normalized rows; for each row the mean and the reciprocal standard deviation, ``(..., 1)``."""
    values = wide(x)
    mean = values.mean(axis=-1, keepdims=True)
    centred = values - mean
    var = (centred * centred).mean(axis=-1, keepdims=True)
    inv_std = 1 / get_array_module(x).sqrt(var + eps)
    centred *= inv_std
    y = centred * gamma + beta
    return y.astype(x.dtype, copy=False), mean, inv_std


def _backward(x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array) -> tuple[Array, Array, Array]:
    """Gradients of x, in its dtype, and of gamma and beta: as in batch normalization, but per row."""
    normalized = wide(x) - mean
    normalized *= inv_std
    gy = gy.astype(normalized.dtype, copy=False)
    rows = tuple(range(x.ndim - 1))
    ggamma = (gy * normalized).sum(axis=rows)
    gbeta = gy.sum(axis=rows)
    scaled = gy * gamma
    normalized *= (scaled * normalized).mean(axis=-1, keepdims=True)
    normalized += scaled.mean(axis=-1, keepdims=True)
    scaled -= normalized
    scaled *= inv_std
    return scaled.astype(x.dtype, copy=False), ggamma, gbeta


LAYER_NORMALIZATION = Operation(
    "layer_normalization", _forward, _backward, samples="renga_nn.functions.example_arguments:layer_normalization"
)


class LayerNormalization(FunctionNode):
    """Normalize over the last axis."""

    fresh_gradients = True

    def __init__(self, eps: float) -> None:
        self.eps = eps

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Normalize each row; keep its statistics."""
        x, gamma, beta = inputs
        self.retain_inputs((0, 1))
        self._implementation = LAYER_NORMALIZATION.select(get_backend(x), x, gamma, beta, self.eps)
        y, self._mean, self._inv_std = self._implementation.forward(x, gamma, beta, self.eps)
        return (y,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Gradients by the statistics that were kept."""
        assert self._implementation.backward is not None
        gradients = self._implementation.backward(*self.saved_inputs, self._mean, self._inv_std, grad_outputs[0])
        return [gradients[i].astype(self.inputs[i].dtype, copy=False) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        x, gamma = self.get_retained_inputs()
        dtype = np.promote_types(x.dtype, np.float32)
        values, gy = cast(x, dtype), cast(grad_outputs[0], dtype)
        centred = values - values.mean(axis=-1, keepdims=True)
        inv_std = ((centred * centred).mean(axis=-1, keepdims=True) + self.eps) ** -0.5
        normalized = centred * inv_std
        rows = tuple(range(x.ndim - 1))

        def gx() -> Variable:
            scaled = gy * cast(gamma, dtype)
            share = normalized * (scaled * normalized).mean(axis=-1, keepdims=True)
            return inv_std * (scaled - share - scaled.mean(axis=-1, keepdims=True))

        gradients: tuple[Callable[[], Variable], ...] = (
            gx,
            lambda: (gy * normalized).sum(axis=rows),
            lambda: gy.sum(axis=rows),
        )
        return [cast(gradients[i](), self.inputs[i].dtype) for i in target_input_indexes]
