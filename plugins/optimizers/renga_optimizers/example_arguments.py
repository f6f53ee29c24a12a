"""Example arguments for testing kernels of updates: one function for each operation, with the operation's name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from renga_core.kernel import Sample

__all__ = [
    "adam_update",
    "add_multiple",
    "corrected_momentum_sgd_update",
    "momentum_sgd_update",
    "nesterov_ag_update",
    "rmsprop_update",
    "scale",
    "sgd_update",
    "sums_of_squares",
]

_SHAPES = {
    "few": (3, 5),
    "none": (0, 4),
    "a vector": (9001,),
    "a matrix": (131, 257),
    "filters": (40, 30, 3, 3),
    "several pieces": (1 + (1 << 18),),
}

_FEW_SHAPES = {"few": (3, 5), "none": (0, 4), "a vector": (5001,)}


def sgd_update(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """Arguments of ``sgd_update``."""
    for name, shape in _SHAPES.items():
        param, grad = rng.standard_normal((2, *shape)).astype(dtype)
        yield Sample(name, (param, grad, 0.1), changed=(0,))


def momentum_sgd_update(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """Arguments of ``momentum_sgd_update`` and of the other updates with momentum."""
    for name, shape in _SHAPES.items():
        param, grad, v = rng.standard_normal((3, *shape)).astype(dtype)
        yield Sample(name, (param, grad, v, 0.9, 0.1), changed=(0, 2))


corrected_momentum_sgd_update = nesterov_ag_update = momentum_sgd_update


def rmsprop_update(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """Arguments of ``rmsprop_update``."""
    for name, shape in _SHAPES.items():
        param, grad = rng.standard_normal((2, *shape)).astype(dtype)
        ms = rng.uniform(0, 2, shape).astype(dtype)
        for x in (grad, ms):
            x.reshape(-1)[::7] = 0
        yield Sample(name, (param, grad, ms, 0.9, 1e-3, 0.05), changed=(0, 2))


def adam_update(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """Arguments of ``adam_update``: with and without weight decay, some with gradients that were always zero."""
    for name, shape in _SHAPES.items():
        param, grad, m = rng.standard_normal((3, *shape)).astype(dtype)
        v = rng.uniform(0, 2, shape).astype(dtype)
        for x in (grad, m, v):
            x.reshape(-1)[::7] = 0
        yield Sample(name, (param, grad, m, v, 0.9, 0.99, 1e-3, 0.05, 1.0), changed=(0, 2, 3))
        yield Sample(f"{name}, decay", (param, grad, m, v, 0.8, 0.9, 1e-4, 0.5, 0.75), changed=(0, 2, 3))


def sums_of_squares(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """Arguments of ``sums_of_squares``, some with numbers whose squares overflow in half precision."""
    wide = np.promote_types(dtype, np.float32)
    for name, shape in _FEW_SHAPES.items():
        array = (rng.standard_normal(shape) * 300 / math.sqrt(max(1, math.prod(shape)))).astype(dtype)
        yield Sample(name, (array, np.ones(1, wide)), changed=(1,))


def add_multiple(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """Arguments of ``add_multiple``."""
    for name, shape in _FEW_SHAPES.items():
        array, other = rng.standard_normal((2, *shape)).astype(dtype)
        yield Sample(name, (array, other, 0.3), changed=(0,))


def scale(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """Arguments of ``scale``."""
    wide = np.promote_types(dtype, np.float32)
    for name, shape in _FEW_SHAPES.items():
        yield Sample(name, (rng.standard_normal(shape).astype(dtype), np.full(1, 0.3, wide)), changed=(0,))
