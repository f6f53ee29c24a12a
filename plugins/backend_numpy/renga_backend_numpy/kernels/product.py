"""Matrix products on the threads of `thread_pool`; OpenBLAS's own threads would slow these down.

Only for convolutions. ``matmul`` and ``linear`` do not use it: a step of the transformer, whose attention uses
OpenBLAS's threads, took 2.7 s in the median with it (0.22 at best), and 0.1 s without.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from renga_backend_numpy.kernels.thread_pool import run_pieces, thread_count
from renga_core.backend import Array

__all__ = ["LEAST", "multiply"]

LEAST = 1 << 22
"""Number of multiplications above which another thread pays; waking it takes some 15 µs."""


def multiply(a: Array, b: Array) -> Array:
    """``a @ b`` for two matrices of one dtype. Each thread computes some rows of the result or, if it is wide,
    columns."""
    rows, columns = a.shape[0], b.shape[1]
    y = np.empty((rows, columns), np.result_type(a, b))
    pieces = thread_count() if rows * a.shape[1] * columns >= LEAST else 1

    def some_rows(parts: Iterator[slice]) -> None:
        for part in parts:
            np.matmul(a[part], b, out=y[part])

    def some_columns(parts: Iterator[slice]) -> None:
        for part in parts:
            np.matmul(a, b[:, part], out=y[:, part])

    run_pieces(some_rows if rows >= columns else some_columns, _parts(max(rows, columns), pieces))
    return y


def _parts(length: int, number: int) -> list[slice]:
    step = max(1, -(-length // number))
    return [slice(start, start + step) for start in range(0, length, step)]
