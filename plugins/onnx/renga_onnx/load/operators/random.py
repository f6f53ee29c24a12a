"""Random numbers from the generator of the backend ``numpy``, on the host. Seeds of nodes are ignored."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import get_backend
from renga_core.random import generator
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import affordable, dtype_of, raw

__all__: list[str] = []


def _draw() -> Any:
    return generator(get_backend("numpy"))


@operator("RandomNormal")
def normal(
    *, shape: list[int], mean: float = 0.0, scale: float = 1.0, dtype: int = 1, seed: float | None = None
) -> Any:
    """Normally distributed numbers."""
    return (_draw().standard_normal(affordable(shape, np.float64)) * scale + mean).astype(dtype_of(dtype))


@operator("RandomNormalLike")
def normal_like(
    x: Any, *, mean: float = 0.0, scale: float = 1.0, dtype: int | None = None, seed: float | None = None
) -> Any:
    """Normally distributed numbers, in the shape of x."""
    return (_draw().standard_normal(x.shape) * scale + mean).astype(x.dtype if dtype is None else dtype_of(dtype))


@operator("RandomUniform")
def uniform(*, shape: list[int], low: float = 0.0, high: float = 1.0, dtype: int = 1, seed: float | None = None) -> Any:
    """Uniformly distributed numbers."""
    return (_draw().random(affordable(shape, np.float64)) * (high - low) + low).astype(dtype_of(dtype))


@operator("RandomUniformLike")
def uniform_like(
    x: Any, *, low: float = 0.0, high: float = 1.0, dtype: int | None = None, seed: float | None = None
) -> Any:
    """Uniformly distributed numbers, in the shape of x."""
    return (_draw().random(x.shape) * (high - low) + low).astype(x.dtype if dtype is None else dtype_of(dtype))


@operator("Bernoulli", host=(0,))
def bernoulli(x: Any, *, dtype: int | None = None, seed: float | None = None) -> Any:
    """Draw 1 with probability x, else 0. No gradient."""
    return (_draw().random(x.shape) < np.asarray(raw(x))).astype(x.dtype if dtype is None else dtype_of(dtype))
