"""oneDNN's threads: OpenMP's (libgomp), beside those of NumPy's matrix products (OpenBLAS).

Both pools let their threads spin for a while after some work, waiting for more. On a busy machine a thread of one pool
then holds the core that the other needs. So libgomp's are told to spin for some microseconds only, unless the
environment says otherwise (``GOMP_SPINCOUNT``, ``OMP_WAIT_POLICY``). OpenBLAS's threads belong to the program, not to a
plugin, and are left as they are; but Renga's own products of more than a few hundred thousand multiplications in
float32 are oneDNN's (`product`), so that OpenBLAS's are not woken unless the program multiplies arrays itself.

How many threads compute: see `renga_backend_numpy.cores`.

After a fork the threads are gone, and a child that waits for them waits for ever: in a child oneDNN gets one thread,
and what was made for more is dropped.
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
    """The number of threads for primitives whose rounding depends on it: constant."""
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
    """Call `compute` with an iterator over `pieces`, in so many threads or one for each; oneDNN has one in each."""

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
