"""Limits on memory: a compressed array of zeros takes a thousandth of its size in memory."""

from __future__ import annotations

__all__ = ["excess"]

_FREE = 1 << 26
_RATIO = 100


def excess(unpacked: int, packed: int, free: int = _FREE) -> str:
    """Why a file of this size must not need this much memory; "" if it may. `free` bytes are always allowed."""
    if unpacked <= max(free, _RATIO * packed):
        return ""
    return f"takes {unpacked:,} bytes of memory, but {packed:,} in the file: {unpacked // max(packed, 1)} times as many"
