"""Layer normalization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["layer_normalization"]


def layer_normalization(x: Any, gamma: Any, beta: Any, eps: float = 1e-5) -> Variable:
    """Make each row of a batch have mean 0 and variance 1, then scale and shift its units (Ba et al. 2016, eq. 4).

    ``y = gamma * (x - mean) / sqrt(var + eps) + beta``, with mean and (biased) variance over the last axis.

    Args:
        x: Batch ``(..., M)``.
        gamma, beta: For each unit, ``(M,)``.
        eps: Added to the variance, so that it is not zero.

    Returns:
        Variable of the shape and dtype of `x`. Statistics of float16 are computed in float32.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.

    >>> import numpy as np
    >>> layer_normalization(np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2), eps=0).array.tolist()
    [[-1.0, 1.0]]
    """
    if x.ndim < 2 or x.dtype.kind != "f" or x.shape[-1] == 0:
        raise InvalidType("layer_normalization", "x", "at least 2 axes, units, and a floating dtype", describe_array(x))
    for name, value in (("gamma", gamma), ("beta", beta)):
        if tuple(value.shape) != (x.shape[-1],) or value.dtype.kind != "f":
            raise InvalidType(
                "layer_normalization", name, f"floating, of shape ({x.shape[-1]},)", describe_array(value)
            )
    return LayerNormalization(eps).apply((x, gamma, beta))[0]


class LayerNormalization(FunctionNode):
    """Normalize over the last axis."""

    fresh_gradients = True

    def __init__(self, eps: float) -> None:
        self.eps = eps

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Normalize each row by its own statistics."""
        x, gamma, beta = inputs
        self.retain_inputs((0, 1))
        normalized, _ = self._normalize(x)
        y = normalized * gamma + beta
        return (y.astype(x.dtype, copy=False),)

    def _normalize(self, x: Array) -> tuple[Array, Array]:
        wide = x.astype(np.promote_types(x.dtype, np.float32), copy=False)
        centred = wide - wide.mean(axis=-1, keepdims=True)
        var = (centred * centred).mean(axis=-1, keepdims=True)
        inv_std = 1 / get_array_module(x).sqrt(var + self.eps)
        centred *= inv_std
        return centred, inv_std

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """As for batch normalization, with rows in the place of channels."""
        x, gamma = self.saved_inputs
        normalized, inv_std = self._normalize(x)
        gy = grad_outputs[0].astype(normalized.dtype, copy=False)
        rows = tuple(range(x.ndim - 1))

        def gx() -> Array:
            scaled = gy * gamma
            share = normalized * (scaled * normalized).mean(axis=-1, keepdims=True)
            share += scaled.mean(axis=-1, keepdims=True)
            scaled -= share
            scaled *= inv_std
            return scaled

        gradients: tuple[Callable[[], Array], ...] = (
            gx,
            lambda: (gy * normalized).sum(axis=rows),
            lambda: gy.sum(axis=rows),
        )
        return [gradients[i]().astype(self.inputs[i].dtype, copy=False) for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        x, gamma = self.get_retained_inputs()
        dtype = np.promote_types(x.dtype, np.float32)
        wide, gy = cast(x, dtype), cast(grad_outputs[0], dtype)
        centred = wide - wide.mean(axis=-1, keepdims=True)
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
