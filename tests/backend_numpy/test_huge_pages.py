"""Huge pages: which memory is moved, and that arrays do not notice."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import numpy as np
import pytest

from renga_backend_numpy import huge_pages
from renga_backend_numpy.huge_pages import SIZE, HugePages


@pytest.fixture
def calls(monkeypatch):
    """First numbers and counts of the pages that the system is asked to move, and what it answers."""

    class Calls(list):
        answer = 0

        def __call__(self, start, size, advice):
            assert (start % SIZE, size % SIZE, advice) == (0, 0, 25)
            self.append((start // SIZE, size // SIZE))
            return self.answer

    found = Calls()
    monkeypatch.setattr(huge_pages, "_madvise", lambda: found)
    return found


def test_pages_that_blocks_cover_altogether_are_moved_once(calls):
    pages = HugePages()
    blocks = [
        (10 * SIZE - 8, 8),  # too small
        (10 * SIZE, SIZE - 16),  # a page, together with the next block, 16 bytes behind it
        (11 * SIZE, 2 * SIZE + 100),
        (13 * SIZE + 4096, SIZE),  # covers no page alone
        (20 * SIZE, SIZE),
        (20 * SIZE + 100, 50),  # within another block
    ]
    assert pages.move(blocks[::-1])
    assert calls == [(10, 3), (20, 1)]
    assert pages.move([*blocks, (21 * SIZE, SIZE)])
    assert calls == [(10, 3), (20, 1), (21, 1)]


def test_a_call_moves_so_many_pages_at_most(calls):
    pages = HugePages(most=3)
    block = [(SIZE, 8 * SIZE)]
    assert [pages.move(block) for _ in range(4)] == [False, False, True, True]
    assert calls == [(1, 3), (4, 3), (7, 2)]


def test_a_system_that_has_none_is_left_alone_soon(calls):
    pages = HugePages()
    calls.answer = -1
    while not pages.move([(SIZE, 100 * SIZE)]):
        pass
    assert pages.move([(200 * SIZE, 100 * SIZE)])
    assert len(calls) == 3


@pytest.mark.parametrize("platform", ["darwin", "linux"])
def test_switched_off_or_another_system(platform, monkeypatch, tmp_path):
    switch = tmp_path / "enabled"
    switch.write_text("always madvise [never]\n")
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(huge_pages, "_SWITCH", switch)
    assert huge_pages._madvise.__wrapped__() is None
    switch.write_text("always [madvise] never\n")
    assert (huge_pages._madvise.__wrapped__() is None) == (platform == "darwin")


@pytest.mark.skipif(huge_pages._madvise() is None, reason="this system has no huge pages for memory in use")
def test_arrays_keep_their_places_and_values():
    memory = mmap.mmap(-1, 4 * SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    array = np.frombuffer(memory, np.int64)
    array[...] = np.arange(array.size)
    before = huge_memory()
    assert HugePages().move([(array.ctypes.data, array.nbytes)])
    if huge_memory() == before:
        pytest.skip("the system has no free huge page")
    np.testing.assert_array_equal(array, np.arange(array.size))


def huge_memory():
    """Kilobytes of this process in huge pages."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("AnonHugePages"))
