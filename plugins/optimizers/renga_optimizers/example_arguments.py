"""Example arguments for testing kernels of updates: one function for each operation, with the operation's name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from renga_core.kernel import Sample

__all__ = [
    "adam_update",
    "adam_update_fp32",
    "add_multiple",
    "clipping_rate",
    "corrected_momentum_sgd_update",
    "corrected_momentum_sgd_update_fp32",
    "momentum_sgd_update",
    "momentum_sgd_update_fp32",
    "nesterov_ag_update",
    "nesterov_ag_update_fp32",
    "refresh_fp32_copy",
    "rmsprop_update",
    "rmsprop_update_fp32",
    "round_fp32_copy",
    "scale",
    "sgd_update",
    "sgd_update_fp32",
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


def clipping_rate(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """Arguments of ``clipping_rate``: norms above the threshold, below it, 0, infinite and NaN."""
    for name, size, factor in (
        ("one", 1, 1),
        ("many", 700, 1e-6),
        ("zeros", 3, 0),
        ("inf", 3, np.inf),
        ("nan", 3, np.nan),
    ):
        squares = (rng.uniform(1, 2, size) * factor).astype(np.promote_types(dtype, np.float32))
        yield Sample(name, (squares, 0.5))


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


_PARAMETERS = {"odd sizes": (3, 5), "large": (131, 67), "filters": (33, 7, 5, 5), "empty": (0, 3)}


def refresh_fp32_copy(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(copy, param)``; the operation changes the copy."""
    for name, shape in _PARAMETERS.items():
        copy = rng.uniform(-1, 1, shape).astype(np.float32)
        changed = copy.astype(dtype)
        changed[..., ::3] = 0.5
        yield Sample(name, (copy, copy.astype(dtype)), changed=(0,))
        yield Sample(f"{name}, changed since", (copy, changed), changed=(0,))


def round_fp32_copy(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(param, copy)``; the operation changes the parameter."""
    for name, shape in _PARAMETERS.items():
        yield Sample(name, (np.zeros(shape, dtype), rng.uniform(-1, 1, shape).astype(np.float32)), changed=(0,))


def _through_copies(
    samples: Callable[[np.random.Generator, np.dtype[Any]], Iterator[Sample]], names: tuple[str, ...]
) -> Callable[[np.random.Generator, np.dtype[Any]], Iterator[Sample]]:
    """Make arguments of an update of parameters in half precision from some of the arguments of that in float32.

    Gradients are in half precision or in float32. Some parameters have changed since they were rounded.
    """

    def made(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
        for sample in samples(rng, np.dtype(np.float32)):
            if sample.name not in names:
                continue
            copy, grad, *rest = sample.args
            param = copy.astype(dtype)
            param[..., ::3] = 0.5
            states = [x for x in rest if isinstance(x, np.ndarray)]
            numbers = rest[len(states) :]
            args = (param, grad * 8, copy, *states, *numbers, 8.0)
            changed = (0, *(2 if i == 0 else i + 1 for i in sample.changed))
            yield Sample(f"{sample.name}, gradient in float32", args, changed=changed)
            yield Sample(sample.name, (param, (grad * 8).astype(dtype), *args[2:]), changed=changed)

    return made


_SOME = ("few", "none")  # enough where only the formula differs from another update
sgd_update_fp32 = _through_copies(sgd_update, _SOME)
momentum_sgd_update_fp32 = _through_copies(momentum_sgd_update, _SOME)
corrected_momentum_sgd_update_fp32 = nesterov_ag_update_fp32 = momentum_sgd_update_fp32
rmsprop_update_fp32 = _through_copies(rmsprop_update, _SOME)
adam_update_fp32 = _through_copies(adam_update, (*_SOME, "a vector"))
