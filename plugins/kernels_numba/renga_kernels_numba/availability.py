"""Checks whether loops can be compiled on this machine."""

from __future__ import annotations

import functools
import importlib.util

from renga_kernels_numba import processor
from renga_kernels_numba.loop import Loop, NumbaError

__all__ = ["has_avx512", "no_tiles", "unavailable"]

_NOTHING = Loop("nothing:nothing", "i8")


@functools.cache
def unavailable() -> str | None:
    """Return the reason why loops cannot be compiled; None if they can.

    It compiles an empty loop, or loads it if it was compiled before; then numba is not imported.
    """
    missing = [name for name in ("numba", "llvmlite") if importlib.util.find_spec(name) is None]
    if missing:
        return f"module {missing[0]!r} is not installed"
    try:
        _NOTHING(1, 0)
    except NumbaError as error:
        return str(error)
    return None


def has_avx512() -> bool:
    """Whether the processor has AVX-512, for which tiles of products (`loops.tiles`) are larger."""
    return "avx512f" in processor.features()


def no_tiles() -> str | None:
    """Return the reason why loops with tiles of products (`loops.tiles`) cannot be used; None if they can."""
    if has_avx512() or {"avx2", "fma"} <= processor.features():
        return unavailable()
    return "the processor has neither AVX-512 nor AVX2 with FMA"
