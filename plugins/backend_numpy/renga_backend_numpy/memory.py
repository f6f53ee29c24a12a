"""Memory of freed arrays is kept for the next ones.

A training step frees what it allocated, and the next one allocates the same sizes again. The C library gives much of
that back to the system meanwhile, which then hands out other pages, each filled with zeros at its first use: a page
fault. So glibc is told (`mallopt`) to take large blocks from its heap instead of asking the system for each, and to
keep a certain amount of free memory at the end of that heap.

This concerns the whole process, and glibc only; elsewhere (musl, macOS, Windows) nothing is changed.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from typing import Any, NamedTuple

from renga_core.settings import SettingsError, lookup

__all__ = ["Statistics", "keep_freed", "keep_freed_as_set", "release", "statistics"]

LARGEST = 2**31 - 1
"""The largest number that `mallopt` takes."""

# Constants of malloc.h.
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4

_SAID_ELSEWHERE = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_")
"""Variables by which glibc is told the same."""


class Statistics(NamedTuple):
    """Bytes that the C library has allocated from the system.

    Attributes:
        used: In blocks that the program has not freed.
        held: All: those, and what is kept for the next ones.
    """

    used: int
    held: int


class _Mallinfo2(ctypes.Structure):
    """``struct mallinfo2`` of malloc.h, glibc 2.33 and newer."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


@functools.cache
def _glibc() -> Any:
    """The C library if it is glibc, else None."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return None
    if hasattr(library, "mallinfo2"):
        library.mallinfo2.restype = _Mallinfo2
    return library


def keep_freed(most: int) -> bool:
    """Keep the memory of freed arrays: up to `most` bytes at the end of the heap.

    More than that is given back to the system. Free memory between blocks that are in use is not counted; it is never
    more than was in use at some time, and `release` gives it back.

    Args:
        most: Number of bytes, from 0 to 2³¹ − 1.

    Returns:
        Whether the C library is one that can be told.
    """
    library = _glibc()
    if library is None:
        return False
    return bool(library.mallopt(_TRIM_THRESHOLD, most) and library.mallopt(_MMAP_MAX, 0))


def keep_freed_as_set() -> None:
    """`keep_freed`, as the setting ``memory.keep`` says; nothing if that is 0, or if the environment tells glibc.

    Raises:
        SettingsError: The setting is more than 2³¹ − 1.
    """
    keep = lookup("memory.keep")
    if keep.value > LARGEST:
        raise SettingsError(
            f"memory.keep (from {keep.origin}): the C library takes at most {LARGEST}, not {keep.value}"
        )
    told = any(name in os.environ for name in _SAID_ELSEWHERE) or "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", "")
    if keep.value and not told:
        keep_freed(keep.value)


def release() -> None:
    """Give the memory of freed arrays back to the system now, whatever is kept otherwise."""
    library = _glibc()
    if library is not None:
        library.malloc_trim(ctypes.c_size_t(0))


def statistics() -> Statistics | None:
    """Bytes that the C library holds for this process; None if it cannot report them (before glibc 2.33)."""
    library = _glibc()
    if not hasattr(library, "mallinfo2"):
        return None
    info = library.mallinfo2()
    return Statistics(info.uordblks + info.hblkhd, info.arena + info.hblkhd)
