"""Keeps the memory of freed arrays for new ones.

A training step frees its arrays, and the next step allocates the same sizes again. By default the C library returns
much of that memory to the system in between. The system then provides new pages and fills each with zeros at its first
use: a page fault. This module changes settings of glibc (`mallopt`): large blocks come from the heap, and a certain
amount of free memory stays at the end of that heap.

The settings apply to the whole process, with glibc only; other systems (musl, macOS, Windows) stay unchanged.
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
"""Largest number that `mallopt` accepts."""

# Constants of malloc.h.
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4

_SAID_ELSEWHERE = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_MAX_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_")
"""Environment variables with the same settings for glibc."""


class Statistics(NamedTuple):
    """Bytes that the C library has allocated from the system.

    Attributes:
        used: Bytes in blocks that the program has not freed.
        held: All bytes: those in use, and those kept for new blocks.
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
    """Return the C library if it is glibc, else None."""
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

    Memory beyond that returns to the system. Free memory between blocks in use does not count. Its size never exceeds
    the largest use so far, and `release` returns it.

    Args:
        most: Number of bytes, from 0 to 2³¹ − 1.

    Returns:
        True if the C library supports these settings.
    """
    library = _glibc()
    if library is None:
        return False
    return bool(library.mallopt(_TRIM_THRESHOLD, most) and library.mallopt(_MMAP_MAX, 0))


def keep_freed_as_set() -> None:
    """Apply the setting ``memory.keep`` with `keep_freed`, unless it is 0 or the environment sets glibc itself.

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
    """Return the memory of freed arrays to the system now, whatever the settings."""
    library = _glibc()
    if library is not None:
        library.malloc_trim(ctypes.c_size_t(0))


def statistics() -> Statistics | None:
    """Return the C library's memory of this process; None if it reports none (before glibc 2.33)."""
    library = _glibc()
    if not hasattr(library, "mallinfo2"):
        return None
    info = library.mallinfo2()
    return Statistics(info.uordblks + info.hblkhd, info.arena + info.hblkhd)
