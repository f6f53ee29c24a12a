"""A pool of threads that share work: NumPy holds no lock while it copies, adds or multiplies large arrays.

A kernel cuts its work into pieces that fit into a core's cache, and hands `run_pieces` a function that does pieces. It
is called in several threads at once, all of which take their pieces from one iterator, so that none waits for a slower
one. There are as many threads as BLAS would use (``OPENBLAS_NUM_THREADS``), or fewer beside other programs (`cores`).
Meanwhile BLAS itself has one: a product that is cut up already gains nothing from being cut again, and OpenBLAS's own
threads, once awake, spin for some 25 ms on the cores that ours need (a convolution after a product by two threads of
OpenBLAS takes 5.7 ms, after one by ours 3.1). Where BLAS is none whose threads can be set, or while the threads are
busy with somebody else's work, the caller does all pieces itself.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np

from renga_backend_numpy import cores

__all__ = ["blas_threads", "run_pieces", "thread_count"]

T = TypeVar("T")

_PREFIXES = ("scipy_openblas", "openblas")
_SUFFIXES = ("64_", "", "_64")

_busy = threading.Lock()
_queues: list[SimpleQueue[Callable[[], None]]] = []


def thread_count() -> int:
    """How many threads `run_pieces` uses at most, unless it is told."""
    blas = _blas()
    return min(blas.threads(), cores.most()) if blas else 1


def run_pieces(work: Callable[[Iterator[T]], None], pieces: Sequence[T], threads: int | None = None) -> None:
    """Call `work` with an iterator over `pieces`, in several threads if there are several pieces.

    Args:
        work: Does the pieces that it takes from the iterator, which gives each to one thread only. It must not depend
            on their order, nor call `run_pieces`.
        pieces: What there is to do.
        threads: How many to use at most. Default: as many as BLAS would; fewer while other programs keep cores busy.

    Raises:
        Exception: What `work` raised, in whichever thread; the others finish the piece that they are at.
    """
    if threads is None:
        threads = min(thread_count(), cores.threads())
    if not _busy.acquire(blocking=False):
        work(iter(pieces))
        return
    try:
        with blas_threads(1):
            _work_together(work, iter(pieces), min(len(pieces), threads))
    finally:
        _busy.release()


@contextmanager
def blas_threads(number: int) -> Iterator[None]:
    """Set the number of BLAS threads of the whole process for a ``with`` block. Only OpenBLAS supports it."""
    blas = _blas()
    before = blas.threads() if blas else 1
    try:
        if blas:
            blas.set_threads(number)
        yield
    finally:
        if blas:
            blas.set_threads(before)


def _work_together(work: Callable[[Iterator[T]], None], pieces: Iterator[T], threads: int) -> None:
    if threads < 2:
        work(pieces)
        return
    done: SimpleQueue[BaseException | None] = SimpleQueue()

    def do_pieces() -> None:
        try:
            work(pieces)
        except BaseException as error:  # raised by the caller's thread
            done.put(error)
        else:
            done.put(None)

    for queue in _workers(threads - 1):
        queue.put(do_pieces)
    do_pieces()
    for error in [done.get() for _ in range(threads)]:
        if error is not None:
            raise error


def _workers(number: int) -> Iterable[SimpleQueue[Callable[[], None]]]:
    while len(_queues) < number:
        queue: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=_serve, args=(queue,), daemon=True, name=f"renga-numpy-{len(_queues) + 1}").start()
        _queues.append(queue)
    return _queues[:number]


def _serve(queue: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        queue.get()()


class _Blas:
    """The two functions of OpenBLAS that get and set the number of threads."""

    def __init__(self, get: Any, put: Any) -> None:
        self._get, self.set_threads = get, put

    def threads(self) -> int:
        return int(self._get())


@cache
def _blas() -> _Blas | None:
    """NumPy's BLAS if it is OpenBLAS, whose functions have names with a prefix and suffix in NumPy's wheels."""
    try:
        library = ctypes.PyDLL(np.linalg._umath_linalg.__file__)  # asks the libraries that it depends on, too
    except (OSError, AttributeError):
        return None
    for prefix in _PREFIXES:
        for suffix in _SUFFIXES:
            get = getattr(library, f"{prefix}_get_num_threads{suffix}", None)
            put = getattr(library, f"{prefix}_set_num_threads{suffix}", None)
            if get and put:
                return _Blas(get, put)
    return None


def _in_child() -> None:
    """Start anew after a fork, where the threads no longer exist."""
    global _busy
    _queues.clear()
    _busy = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
