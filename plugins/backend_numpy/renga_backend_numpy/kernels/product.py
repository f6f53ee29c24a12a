"""Products of matrices, divided among the threads of `crew`, in whose way OpenBLAS's own would be afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from renga_backend_numpy.kernels.crew import share, size
from renga_core.backend import Array

__all__ = ["LEAST", "Linear", "MatMul", "multiply", "supports", "supports_linear"]

LEAST = 1 << 22
"""Multiplications that are worth waking a thread for, which takes some 15 µs."""


def supports(a: Array, b: Array) -> bool:
    """Whether these are two matrices, in single or double precision."""
    return bool(a.ndim == b.ndim == 2 and a.dtype == b.dtype and a.dtype.char in "fd")


def supports_linear(x: Array, W: Array, b: Any) -> bool:
    """As `supports`."""
    return supports(x, W)


class MatMul:
    """Operation ``matmul``."""

    @staticmethod
    def forward(a: Array, b: Array) -> Array:
        """As the reference."""
        return multiply(a, b)


class Linear:
    """Operation ``linear``."""

    @staticmethod
    def forward(x: Array, W: Array, b: Array | None) -> Array:
        """As the reference."""
        y = multiply(x, W.T)
        if b is not None:
            y += b
        return y

    @staticmethod
    def backward(x: Array, W: Array, gy: Array, wanted: tuple[int, ...]) -> tuple[Array, ...]:
        """As the reference."""
        gradients: tuple[Callable[[], Array], ...] = (
            lambda: multiply(gy, W),
            lambda: multiply(gy.T, x),
            lambda: gy.sum(axis=0),
        )
        return tuple([gradients[i]() for i in wanted])


def multiply(a: Array, b: Array) -> Array:
    """``a @ b`` for two matrices of one dtype; each thread computes some rows of the result or, if wide, columns."""
    rows, columns = a.shape[0], b.shape[1]
    y = np.empty((rows, columns), np.result_type(a, b))
    pieces = size() if rows * a.shape[1] * columns >= LEAST else 1

    def some_rows(parts: Iterator[slice]) -> None:
        for part in parts:
            np.matmul(a[part], b, out=y[part])

    def some_columns(parts: Iterator[slice]) -> None:
        for part in parts:
            np.matmul(a, b[:, part], out=y[:, part])

    share(some_rows if rows >= columns else some_columns, _parts(max(rows, columns), pieces))
    return y


def _parts(length: int, number: int) -> list[slice]:
    step = max(1, -(-length // number))
    return [slice(start, start + step) for start in range(0, length, step)]
