"""Compiles all loops in advance, with one process per core."""

from __future__ import annotations

import importlib
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

from renga_kernels_numba.loop import Loop
from renga_kernels_numba.plugin import renga_kernels

__all__ = ["prepare_all"]


def prepare_all() -> int:
    """Compile the loops that are not on disk yet; return the number of all loops.

    Raises:
        NumbaError: A loop cannot be compiled.
    """
    names = _all()
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        list(pool.map(_prepare, names))
    return len(names)


def _all() -> list[str]:
    """Return the names of the loops of all kernels, as in `Loop.known`."""
    for kernel in renga_kernels():
        for name in (kernel.target, kernel.probe):
            importlib.import_module(name.partition(":")[0])
    return list(Loop.known)


def _prepare(name: str) -> None:
    """Compile one loop, in another process."""
    _all()
    Loop.known[name].prepare()
