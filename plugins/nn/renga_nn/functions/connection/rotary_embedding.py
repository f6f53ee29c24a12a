"""Rotary position embedding."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend, get_device_of
from renga_core.graph import FunctionNode, InvalidType, Variable
from renga_core.graph.errors import describe_array
from renga_core.kernel import Operation
from renga_nn.functions.checks import as_integer, as_number, require_floating, wide

__all__ = ["rotary_embedding"]

_NAME = "rotary_embedding"


def rotary_embedding(x: Any, offset: int = 0, base: float = 10000.0) -> Variable:
    """Rotate pairs of features by angles that grow with the position (Su et al. 2021, equation 34).

    Features i and ``D / 2 + i`` form a pair, as in the weights of Hugging Face's models. At position t it is rotated by
    ``t * base ** (-2 i / D)``. The product of two rotated rows depends only on the distance of their positions.

    Args:
        x: Queries or keys ``(..., T, D)``, D even.
        offset: Position of the first row, at least 0.
        base: Base of the angles.

    Returns:
        Variable of the shape and dtype of `x`.

    Raises:
        InvalidType: `x` is not floating, or D is odd.
        ValueError: `offset` is negative.

    >>> import numpy as np
    >>> rotary_embedding(np.array([[1.0, 0.0], [1.0, 0.0]])).array.round(4).tolist()
    [[1.0, 0.0], [0.5403, 0.8415]]
    """
    require_floating(_NAME, "x", x)
    if x.ndim < 2 or x.shape[-1] % 2 or not x.shape[-1]:
        raise InvalidType(_NAME, "x", "(..., T, D) with an even number of features", describe_array(x))
    offset = as_integer(_NAME, "offset", offset, 0)
    length, features = x.shape[-2:]
    # Tables for powers of two, so that lengths of seven and eight tokens share a table.
    rows = 1 << max(offset + length - 1, 63).bit_length()
    table = _table(rows, features, float(as_number(_NAME, "base", base)), _dtype(x))
    send = get_device_of(x).send
    cos, sin = (send(part[offset : offset + length]) for part in table)
    return RotaryEmbedding(cos, sin).apply((x,))[0]


def _dtype(x: Any) -> str:
    """The dtype of angles: that of `x`, but float32 for half precision."""
    return "float64" if x.dtype.itemsize == 8 else "float32"


@lru_cache(maxsize=32)
def _table(rows: int, features: int, base: float, dtype: str) -> tuple[Array, Array]:
    """Cosines and sines ``(rows, features / 2)`` on the host. The angles are computed in float64."""
    angles = np.arange(rows)[:, None] * base ** (-2 * np.arange(features // 2) / features)
    return np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)


def _forward(x: Array, cos: Array, sin: Array) -> Array:
    """Pairs ``(a, b)`` become ``(a cos - b sin, b cos + a sin)``; angles ``(T, D / 2)``."""
    xp = get_array_module(x)
    half = x.shape[-1] // 2
    values = wide(x)
    a, b = values[..., :half], values[..., half:]
    y = xp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)
    return y.astype(x.dtype, copy=False)


ROTARY_EMBEDDING = Operation(_NAME, _forward, samples="renga_nn.functions.example_arguments:rotary_embedding")


class RotaryEmbedding(FunctionNode):
    """Rotate pairs of features; the gradient is rotated back.

    Args:
        cos, sin: Cosines and sines of the angles, ``(T, D / 2)``.
    """

    fresh_gradients = True

    def __init__(self, cos: Array, sin: Array) -> None:
        self.cos, self.sin = cos, sin

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute; nothing is kept."""
        return (_turned(inputs[0], self.cos, self.sin),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient, rotated back."""
        return (_turned(grad_outputs[0], self.cos, -self.sin),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        return RotaryEmbedding(self.cos, -self.sin).apply((grad_outputs[0],))


def _turned(x: Array, cos: Array, sin: Array) -> Array:
    return ROTARY_EMBEDDING.select(get_backend(x), x, cos, sin).forward(x, cos, sin)
