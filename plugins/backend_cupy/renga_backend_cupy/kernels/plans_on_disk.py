"""Plans of cuDNN in files, so that a second run of a program need not let cuDNN choose engines and compile them again.

The folder is given by the environment variable ``RENGA_CUDNN_CACHE``; default is ``renga/cudnn`` in the user's cache
folder (``XDG_CACHE_HOME``, or ``~/.cache``). A file contains the SHA-256 digest of the plan, then the plan, as cuDNN's
frontend serializes it. A damaged file is ignored, with one line in the log, and replaced. cuDNN cannot serialize all of
its engines; where it refuses, nothing is kept.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import cudnn
import cupy

from renga_backend_numpy import cache_files

__all__ = ["REFUSALS", "VARIABLE", "file_of", "folder", "ignore", "load", "store"]

VARIABLE = "RENGA_CUDNN_CACHE"

_LOG = logging.getLogger("renga.backend_cupy")

REFUSALS = (cudnn.cudnnGraphNotSupportedError, RuntimeError, ValueError)
"""Exceptions of cuDNN's frontend if it has no engine; ``std::invalid_argument`` becomes ValueError."""


def folder() -> Path:
    """Return the folder of the plans. `store` creates it."""
    return cache_files.folder(VARIABLE, "cudnn")


def file_of(operation: str, key: Hashable, device: int) -> Path:
    """Return the file of a plan: its name is a digest of everything that the plan depends on.

    That is the operation with its arguments, whether tensor cores may compute float32, the versions of cuDNN and of its
    frontend, the sort of GPU, and the sources of this package, which describe the graphs.

    Args:
        operation, key: What the plan computes, see `renga_backend_cupy.kernels.cudnn.find_plan`.
        device: Number of the GPU.
    """
    precision = os.environ.get("CUPY_TF32", "0")
    parts = operation, key, precision, cudnn.backend_version(), cudnn.__version__, _kind_of(device), _sources()
    return folder() / hashlib.sha256(repr(parts).encode()).hexdigest()


def load(path: Path, handle: Any) -> Any | None:
    """Return the graph in a file, ready to be executed; None if there is none, or none that cuDNN accepts here.

    Args:
        path: The file.
        handle: cuDNN's handle.
    """
    try:
        plan = cache_files.read(path)
    except cache_files.DamagedFile:
        ignore(path, "it is damaged")
        return None
    if plan is None:
        return None
    graph = cudnn.pygraph(handle=handle)
    try:
        graph.deserialize(handle, list(plan))
    except REFUSALS as error:
        ignore(path, str(error))
        return None
    return graph


def store(path: Path, graph: Any) -> None:
    """Write a graph whose plan has been built; nothing if cuDNN cannot serialize it, or the folder is not writable."""
    try:
        plan = bytes(graph.serialize())
    except REFUSALS as error:
        _LOG.debug("cuDNN does not serialize a plan: %s", error)
        return
    try:
        cache_files.write(path, plan)
    except OSError as error:
        _complain(path.parent, str(error))


def ignore(path: Path, reason: str) -> None:
    """Say in the log that a file is not used."""
    _LOG.warning("The plan of cuDNN in %s is not used: %s. A new one is made, and replaces it.", path, reason)


@functools.cache
def _complain(where: Path, error: str) -> None:
    """Warn once per folder and error."""
    _LOG.warning(
        "Renga cannot keep plans of cuDNN in %s: %s. Each process makes them again. Next: set %s to a folder that can "
        "be written",
        where,
        error,
        VARIABLE,
    )


@functools.cache
def _kind_of(device: int) -> tuple[Any, ...]:
    """The model of a GPU."""
    properties = cupy.cuda.runtime.getDeviceProperties(device)
    return tuple(properties[name] for name in ("name", "major", "minor", "multiProcessorCount", "totalGlobalMem"))


@functools.cache
def _sources() -> str:
    """A digest of the modules that describe graphs."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
