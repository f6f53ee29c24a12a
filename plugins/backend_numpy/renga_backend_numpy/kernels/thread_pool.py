"""A pool of threads that share work. NumPy releases the GIL while it copies, adds or multiplies large arrays.

A kernel cuts its work into pieces that fit into a core's cache, and gives `run_pieces` a function that processes
pieces. Several threads call the function at once; all take pieces from one iterator, so none waits for a slower one.
The pool has as many threads as BLAS would use (``OPENBLAS_NUM_THREADS``), or fewer beside other programs (`cores`).
Meanwhile BLAS itself gets one thread: OpenBLAS's own threads, once awake, spin for some 25 ms on the cores that the
pool needs. (A convolution takes 5.7 ms after a product on two threads of OpenBLAS, and 3.1 after one on the pool.) The
caller processes all pieces itself if the threads of BLAS cannot be set, or while the pool does other work.
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
    """Default limit for the number of threads of `run_pieces`."""
    blas = _blas()
    return min(blas.threads(), cores.most()) if blas else 1


def run_pieces(work: Callable[[Iterator[T]], None], pieces: Sequence[T], threads: int | None = None) -> None:
    """Call `work` with an iterator over `pieces`, in several threads if there are several pieces.

    Args:
        work: Function that processes the pieces from the iterator, which gives each piece to one thread. It must not
            depend on their order, and must not call `run_pieces`.
        pieces: All pieces of work.
        threads: Largest number of threads. Default: as many as BLAS would use, fewer while other programs keep cores
            busy.

    Raises:
        Exception: Any exception of `work`, from any thread; the others finish their current piece first.
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
        except BaseException as error:  # the caller's thread raises it again
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
    """Return NumPy's BLAS if it is OpenBLAS. Its functions have a prefix and suffix in NumPy's wheels."""
    try:
        library = ctypes.PyDLL(np.linalg._umath_linalg.__file__)  # also finds symbols of the libraries it links to
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
    """Create a new pool after a fork, where the threads no longer exist."""
    global _busy
    _queues.clear()
    _busy = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
