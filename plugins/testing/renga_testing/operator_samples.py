"""Arguments for testing kernels of core's operators; one function for each operation, with its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from renga_core.kernel import Sample

__all__ = ["add", "check_finite", "matmul", "widen"]


def add(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(x0, x1)``."""
    for name, shapes in {
        "odd sizes": ((3, 5, 7), (3, 5, 7)),
        "large": ((5, 7, 64, 65), (5, 7, 64, 65)),
        "broadcast": ((4, 1, 3), (5, 1)),
        "a scalar": ((), ()),
        "empty": ((0, 3), (0, 3)),
    }.items():
        yield Sample(name, tuple(rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes))


def matmul(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(a, b)``: matrices, some with more than 2^18 products, and vectors, for which BLAS has other functions."""
    for name, (a, b) in {
        "odd sizes": ((3, 5), (5, 7)),
        "one of each": ((1, 1), (1, 1)),
        "large": ((131, 67), (67, 73)),
        "one row": ((1, 513), (513, 517)),
        "one column": ((517, 513), (513, 1)),
        "inner size 1": ((515, 1), (1, 517)),
        "a batch": ((5, 33, 71), (5, 71, 35)),
        "a batch of two axes": ((2, 3, 65, 66), (2, 3, 66, 13)),
        "a batch and a matrix": ((5, 33, 71), (71, 35)),
        "a matrix and a batch": ((33, 71), (5, 71, 35)),
        "broadcast": ((2, 1, 65, 66), (3, 66, 13)),
        "no rows": ((0, 4), (4, 3)),
        "nothing to sum": ((4, 0), (0, 3)),
        "no batch": ((0, 4, 2), (0, 2, 3)),
    }.items():
        yield Sample(name, tuple(rng.uniform(-1, 1, shape).astype(dtype) for shape in (a, b)))


def check_finite(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(flag, array)``; the operation changes the flag."""
    for name, shape in {"odd sizes": (3, 5), "several pieces": (4099,), "empty": (0, 3)}.items():
        for last in (1.0, np.inf, np.nan):
            array = np.asarray(rng.uniform(-1, 1, shape), dtype)
            array[..., -1:] = last
            yield Sample(f"{name}, the last {last}", (np.ones(1, bool), array), changed=(0,))


def widen(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(copy, array, divisor)``; the operation changes the copy."""
    for name, shape in _PARAMETERS.items():
        array = rng.uniform(-1, 1, shape).astype(dtype)
        for divisor in (1.0, 1024.0):
            yield Sample(f"{name}, by {divisor:g}", (np.ones(shape, np.float32), array, divisor), changed=(0,))


_PARAMETERS = {"odd sizes": (3, 5), "large": (131, 67), "filters": (33, 7, 5, 5), "empty": (0, 3)}
