"""Compiling all loops in advance, in as many processes as there are cores."""

from __future__ import annotations

import importlib
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

from renga_kernels_numba.loop import Loop
from renga_kernels_numba.plugin import renga_kernels

__all__ = ["prepare_all"]


def prepare_all() -> int:
    """Compile what is not on disk yet; how many loops there are.

    Raises:
        NumbaError: One cannot be compiled.
    """
    sources = _all()
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        list(pool.map(_prepare, sources))
    return len(sources)


def _all() -> list[str]:
    """The loops of all kernels, by source."""
    for kernel in renga_kernels():
        for name in (kernel.target, kernel.probe):
            importlib.import_module(name.partition(":")[0])
    return list(Loop.known)


def _prepare(source: str) -> None:
    """Compile one, in another process."""
    _all()
    Loop.known[source].prepare()
