"""How much memory a file may ask for: compressed, an array of zeros takes a thousandth of what it is going to take."""

from __future__ import annotations

__all__ = ["excess"]

_FREE = 1 << 26
_RATIO = 100


def excess(unpacked: int, packed: int, free: int = _FREE) -> str:
    """Why so many bytes should not come out of so few, unexpected; "" if they may, as `free` bytes always may."""
    if unpacked <= max(free, _RATIO * packed):
        return ""
    return f"takes {unpacked:,} bytes of memory, but {packed:,} in the file: {unpacked // max(packed, 1)} times as many"
