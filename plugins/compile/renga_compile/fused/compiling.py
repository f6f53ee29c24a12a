"""Compiles source to machine code, with a cache on disk.

Machine code is a file in the folder ``fused`` of the cache folder of numba's kernels (``RENGA_NUMBA_CACHE``, or
``renga/numba`` in the user's cache folder). Compiling needs numba.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import threading
import time
from pathlib import Path
from typing import Any

from renga_kernels_numba import compiling as kernels_compiling
from renga_kernels_numba import disk

__all__ = ["compiled", "folder"]

_LOCK = threading.Lock()
_LOG = logging.getLogger("renga.compile")
_HEADER = """import numpy as np
from numba import float32 as f4, float64 as f8
from renga_compile.fused.elementary import *

inf, nan = np.inf, np.nan


"""


def folder() -> Path:
    """Return the folder of the cache."""
    return disk.folder() / "fused"


def compiled(source: str, signature: str) -> int:
    """Return the address of the machine code of a function ``kernel``. Compilations are logged.

    Args:
        source: Its first argument is the number of a piece, the others are pointers.
        signature: Types of the pointers: ``f4*``, ``f8*``.

    Raises:
        Exception: numba is missing, or cannot compile it.
    """
    with _LOCK:
        return _compiled(source, signature)


@functools.cache
def _compiled(source: str, signature: str) -> int:
    files = Path(__file__), Path(__file__).with_name("elementary.py"), Path(kernels_compiling.__file__)
    what = f"{_HEADER}{source}{signature}{kernels_compiling.origin(*files)}"
    name = f"renga_fused_{hashlib.sha256(what.encode()).hexdigest()[:24]}"
    code = disk.kept(f"fused/{name}.o", lambda: _emitted(source, signature, name))
    return kernels_compiling.placed(code, name)


def _emitted(source: str, signature: str, name: str) -> bytes:
    import numba

    scope: dict[str, Any] = {}
    exec(compile(_HEADER + source, f"<{name}>", "exec"), scope)
    kernel = numba.njit(error_model="numpy", forceinline=True)(scope["kernel"])
    _promise_no_aliases(kernel)
    start = time.perf_counter()
    code = kernels_compiling.emitted(kernel, signature, name)
    took = time.perf_counter() - start
    _LOG.warning("renga.compile compiled a part of a step with numba in %.1f s, to be kept in %s", took, folder())
    return code


def _promise_no_aliases(kernel: Any) -> None:
    """Tell LLVM that outputs share no memory with other arrays; otherwise it tests this for each pair first."""

    def customized(flags: Any) -> Any:
        flags.noalias = True
        return flags

    kernel._compiler._customize_flags = customized
