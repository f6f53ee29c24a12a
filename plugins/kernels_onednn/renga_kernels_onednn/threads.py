"""oneDNN's threads (OpenMP's, of libgomp), and those of NumPy's matrix products (OpenBLAS).

Both pools let their threads spin for a while after some work, waiting for more. On a busy machine a thread of one pool
then holds the core that the other needs. So libgomp's threads are set to spin for only some microseconds, unless the
environment sets another time (``GOMP_SPINCOUNT``, ``OMP_WAIT_POLICY``). OpenBLAS's threads belong to the program, so
this plugin leaves them as they are. Renga's own large products in float32 are computed by oneDNN (`product`), so
OpenBLAS's threads stay asleep unless the program multiplies arrays itself.

For the number of threads see `renga_backend_numpy.cores`.

A forked child has no threads, and would wait for them for ever. So a child uses one thread of oneDNN, and drops plans
that were made for more.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from renga_backend_numpy import cores
from renga_backend_numpy.kernels.openmp import LIBRARY
from renga_backend_numpy.kernels.thread_pool import run_pieces

__all__ = ["at_fork", "count", "free", "put", "share_pieces", "use"]

_Piece = TypeVar("_Piece")


@functools.cache
def _openmp() -> Any:
    return ctypes.PyDLL(LIBRARY)


def count() -> int:
    """The number of threads for primitives whose rounding depends on it; it is constant."""
    return min(int(_openmp().omp_get_max_threads()), cores.most())


def free() -> int:
    """The number of threads for other primitives: fewer while other programs keep cores busy."""
    return min(int(_openmp().omp_get_max_threads()), cores.threads())


def use(number: int) -> int:
    """Set the number of threads for computations of this Python thread, and return the number before."""
    before = int(_openmp().omp_get_max_threads())
    if before != number:
        put(number)
    return before


def put(number: int) -> None:
    """Set the number of threads for computations of this Python thread."""
    _openmp().omp_set_num_threads(number)


def share_pieces(
    compute: Callable[[Iterator[_Piece]], None], pieces: Sequence[_Piece], threads: int | None = None
) -> None:
    """Call `compute` with an iterator over `pieces` in several threads; in each, oneDNN uses one thread."""

    def alone(some: Iterator[_Piece]) -> None:
        before = use(1)
        try:
            compute(some)
        finally:
            use(before)

    if len(pieces) > 1:
        run_pieces(alone, pieces, threads or len(pieces))
    else:
        alone(iter(pieces))


def at_fork(forget: Callable[[], None]) -> None:
    """Make a forked child use one thread, after calling `forget`."""

    def in_child() -> None:
        if _openmp.cache_info().currsize:  # oneDNN was used
            _openmp().omp_set_num_threads(1)
            forget()

    os.register_at_fork(after_in_child=in_child)
