"""From source to machine code, kept on disk.

The source is a file in the folder ``fused`` of the cache folder of numba's kernels (``RENGA_NUMBA_CACHE``, or
``renga/numba`` in the user's cache folder), named for what it says; numba keeps the machine code beside it. Where the
folder cannot be written, machine code lives as long as the process.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import importlib.util
import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np

from renga_compile.fused import elementary
from renga_compile.fused.statements import Spec

__all__ = ["compiled", "folder"]

_LOG = logging.getLogger("renga.compile")
_LOCK = threading.Lock()
_HEADER = f"""# Made by renga.compile(step, "fused").
import numpy as np
from numba import float32 as f4, float64 as f8

from renga_compile.fused.elementary import (
    {", ".join(elementary.__all__)},
)

inf, nan = np.inf, np.nan


"""


def folder() -> Path:
    """Where sources and machine code are kept."""
    named = os.environ.get("RENGA_NUMBA_CACHE")
    if named:
        return Path(named) / "fused"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "renga" / "numba" / "fused"


def compiled(source: str, arguments: Sequence[Spec]) -> Callable[..., None]:
    """The function ``kernel`` of some source, compiled for arrays of these dtypes and numbers of axes.

    A compilation is logged.

    Raises:
        Exception: numba cannot compile it.
    """
    signature = tuple([(len(spec.shape), spec.dtype.str) for spec in arguments])
    with _LOCK:
        return _compiled(source, signature)


@functools.cache
def _compiled(source: str, signature: tuple[tuple[int, str], ...]) -> Callable[..., None]:
    text = _HEADER + source
    name = f"kernel_{hashlib.sha256(f'{text}{signature}{_origin()}'.encode()).hexdigest()[:24]}"
    types = [numba.types.Array(numba.from_dtype(np.dtype(code)), ndim, "C") for ndim, code in signature]
    with _written(name, text) as path:
        kernel = numba.njit(error_model="numpy", nogil=True, cache=path is not None)(_function(name, text, path))
        _promise_no_aliases(kernel)
        start = time.perf_counter()
        kernel.compile(numba.void(*types))
        if not kernel.stats.cache_hits:
            kept = f"kept in {path.parent}" if path else f"not kept, because {folder()} cannot be written"
            took = time.perf_counter() - start
            _LOG.warning("renga.compile compiled a part of a step with numba in %.1f s; it is %s", took, kept)
    kernel.disable_compile()
    return kernel  # type: ignore[no-any-return]  # numba has no types


def _function(name: str, text: str, path: Path | None) -> Callable[..., None]:
    """The function, from the file if there is one: numba looks there."""
    if path is None:
        scope: dict[str, Any] = {}
        exec(compile(text, f"<{name}>", "exec"), scope)
        return scope["kernel"]  # type: ignore[no-any-return]  # just compiled
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # machine code on disk refers to it
    spec.loader.exec_module(module)
    return module.kernel  # type: ignore[no-any-return]  # just loaded


def _promise_no_aliases(kernel: Any) -> None:
    """Let LLVM know that outputs share no memory with other arrays: without it, it tests this for each pair first."""

    def customized(flags: Any) -> Any:
        flags.noalias = True
        return flags

    kernel._compiler._customize_flags = customized


@contextmanager
def _written(name: str, text: str) -> Iterator[Path | None]:
    """The file with the source, while no other process compiles; None where it cannot be written."""
    path = folder() / f"{name}.py"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = open(path.parent / "lock", "a")  # noqa: SIM115 - closed below
    except OSError:
        yield None
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
                file.write(text)
            os.replace(file.name, path)
        yield path


@functools.cache
def _origin() -> str:
    """What machine code depends on beside the source; numba looks at the processor and its own version itself."""
    sources = [Path(file).read_text() for file in (elementary.__file__, __file__)]
    return "".join([*sources, str(numba.__version__)])
