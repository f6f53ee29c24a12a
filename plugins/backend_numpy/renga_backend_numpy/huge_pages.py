"""Huge pages for arrays that stay: parameters, their gradients, and the states of optimizers.

An update of all parameters reads and writes hundreds of megabytes, from several arrays at once. In pages of 4 KiB the
processor translates an address for each page, and stops loading ahead at its end. Linux can move memory into pages of 2
MiB afterwards (``MADV_COLLAPSE``, Linux 6.1 and newer); the addresses stay the same. Only memory that belongs to these
arrays altogether is moved, so the process takes no more of it.

Without such a Linux, or if its administrator has switched huge pages off (``never`` in
``/sys/kernel/mm/transparent_hugepage/enabled``), nothing is done.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["SIZE", "HugePages"]

SIZE = 1 << 21
"""Bytes of a huge page."""

_COLLAPSE = 25  # MADV_COLLAPSE of linux/mman.h
_SWITCH = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_MOST_FAILURES = 3  # there are no free huge pages, or memory is of a kind that cannot be moved


class HugePages:
    """Moves memory into huge pages, each page once, a few pages in each call.

    Args:
        most: Number of pages that a call moves at most: this takes a millisecond or two a page.
    """

    def __init__(self, most: int = 16) -> None:
        self._most = most
        self._tried: set[int] = set()
        self._failures = 0

    def move(self, blocks: Iterable[tuple[int, int]]) -> bool:
        """Move memory.

        Args:
            blocks: Addresses and numbers of bytes.

        Returns:
            True if nothing is left to do for these blocks.
        """
        madvise = _madvise()
        if madvise is None:
            return True
        pages = [page for start, stop in _joined(blocks) for page in range(-(-start // SIZE), stop // SIZE)]
        new = [page for page in pages if page not in self._tried]
        for first, count in _runs(new[: self._most]):  # a call takes long, whatever the number of its pages
            if self._failures == _MOST_FAILURES:
                return True
            self._tried.update(range(first, first + count))
            self._failures += madvise(first * SIZE, count * SIZE, _COLLAPSE) != 0
        return len(new) <= self._most


@functools.cache
def _madvise() -> Any:
    """Return the function of the C library; None where there are no such huge pages."""
    try:
        if sys.platform != "linux" or mmap.PAGESIZE != 4096 or "[never]" in _SWITCH.read_text():
            return None
        function = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):
        return None
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


def _runs(pages: Iterable[int]) -> list[tuple[int, int]]:
    """First numbers and lengths of runs of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for page in pages:
        first, count = runs[-1] if runs else (page, 0)
        if page == first + count:
            runs[-1:] = [(first, count + 1)]
        else:
            runs.append((page, 1))
    return runs


def _joined(blocks: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """First addresses of blocks, and those behind them; less than 64 bytes between two belong to the C library."""
    start = stop = 0
    for begin, size in sorted(blocks):
        if begin - stop >= 64:
            yield start, stop
            start = begin
        stop = max(stop, begin + size)
    yield start, stop
