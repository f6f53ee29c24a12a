"""Sharing pieces among the threads of OpenMP (libgomp): those of oneDNN, so that no second pool waits on its cores.

The machine code of a loop takes pieces from a counter until none is left. So it needs no OpenMP itself: each thread
calls the same function with the same data. How many threads there are, `renga_backend_numpy.cores` says.
Where there is no libgomp, the threads of NumPy's kernels call it.

After a fork the threads of the parent are gone, and a child that waits for them waits for ever: it uses one thread.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

from renga_backend_numpy import cores
from renga_backend_numpy.kernels import openmp

__all__ = ["in_parallel"]

_forked = False


def in_parallel(function: Callable[[Any], None], data: Any, pieces: int) -> None:
    """Call ``function(data)`` in up to `pieces` threads at once; returns when all are done.

    Args:
        function: A ctypes function without a result, which releases Python's lock.
        data: A ctypes array: the counter of pieces, and what belongs to it.
        pieces: How many there are; two or more.
    """
    pool = _openmp()
    if _forked:
        function(data)
    elif pool is None:
        from renga_backend_numpy.kernels.thread_pool import run_pieces, thread_count

        def work(turns: Iterator[int]) -> None:
            for _ in turns:
                function(data)

        run_pieces(work, range(min(pieces, thread_count())))
    else:
        threads = min(pieces, pool.omp_get_max_threads(), cores.threads())
        if threads < 2:
            function(data)
        else:
            pool.parallel(function, data, threads, 0)


class _OpenMP:
    """Two functions of libgomp."""

    def __init__(self) -> None:
        openmp.prepare()
        # PyDLL keeps Python's lock: the call takes less than giving it away.
        self.omp_get_max_threads = ctypes.PyDLL(openmp.LIBRARY).omp_get_max_threads
        self.parallel = ctypes.CDLL(openmp.LIBRARY).GOMP_parallel
        self.parallel.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
        self.parallel.restype = None


@functools.cache
def _openmp() -> _OpenMP | None:
    try:
        return _OpenMP()
    except (OSError, AttributeError):
        return None


def _in_child() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
