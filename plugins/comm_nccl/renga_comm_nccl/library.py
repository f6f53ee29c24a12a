"""Finds and loads libnccl."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from renga_core.errors import RengaError

__all__ = ["NAMED_HINT", "VARIABLE", "LibraryMissing", "load", "places"]

VARIABLE = "RENGA_NCCL_LIBRARY"
"""Environment variable with the path of libnccl; if set, no other place is searched."""
_FILE = "libnccl.so.2"
_HINT = "pip install 'renga[nccl13]' (or 'renga[nccl12]', for a driver of CUDA 12)"
NAMED_HINT = f"set {VARIABLE} to the path of {_FILE}, or unset it and {_HINT}"
"""What to do if the variable names something else."""


class LibraryMissing(RengaError):
    """libnccl cannot be loaded."""


def places() -> Iterator[str]:
    """Return candidate paths of libnccl: the value of `VARIABLE`, or the wheel's folder, then the system's."""
    if named := os.environ.get(VARIABLE):
        yield named
        return
    # Both CuPy's wheel and ours may be installed. A process must load only one NCCL: use the same order as CuPy.
    spec = importlib.util.find_spec("nvidia")
    for folder in spec.submodule_search_locations or () if spec is not None else ():
        file = Path(folder) / "nccl" / "lib" / _FILE
        if file.exists():
            yield str(file)
    yield _FILE


@cache
def load() -> tuple[ctypes.CDLL, str]:
    """Load libnccl; return the library and its path. Calls through it release the GIL.

    Raises:
        LibraryMissing: No library could be loaded.
    """
    tried = []
    for place in places():
        try:
            return ctypes.CDLL(place), place
        except OSError as error:
            tried.append(f"{place} ({error})")
    if os.environ.get(VARIABLE):
        raise LibraryMissing(f"{VARIABLE} names a file that cannot be loaded: {'; '.join(tried)}. Next: {NAMED_HINT}")
    raise LibraryMissing(
        f"libnccl is not installed. Tried: {'; '.join(tried)}. Next: {_HINT}, or set {VARIABLE} to its path"
    )
