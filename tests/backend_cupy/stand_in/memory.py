"""A pool of memory as CuPy's: what is freed is handed out again, to the same stream, and holds garbage meanwhile."""

from __future__ import annotations

import ctypes
import weakref
from collections import defaultdict

import numpy as np

from stand_in.ordering import Accesses

GRANULE = 512
"""Sizes are rounded up to this, and addresses are divisible by it, as in CuPy's pool."""

POISON = 0xFF
"""In each byte of memory without a value: NaN in all floating dtypes, -1 or the largest integer in the others."""


class Block:
    """Memory of a device.

    Attributes:
        bytes: All of it.
        arena: Device and stream that it belongs to.
        accesses: Who wrote and read it last.
    """

    def __init__(self, size: int, arena: tuple[int, str]) -> None:
        whole = np.full(size + GRANULE, POISON, np.uint8)
        start = -whole.ctypes.data % GRANULE
        self.bytes = whole[start : start + size]
        self.address, self.size = self.bytes.ctypes.data, size
        self.arena = arena
        self.accesses = Accesses()


class Pool:
    """Blocks by device, stream and size."""

    def __init__(self) -> None:
        self._free: dict[tuple[tuple[int, str], int], list[Block]] = defaultdict(list)
        self._used: dict[int, Block] = {}
        self.acquired = 0
        self.taken = 0
        self.peak = 0

    def take(self, nbytes: int, arena: tuple[int, str], may_grow: bool = True) -> np.ndarray:
        """Bytes that come back to the pool when nobody refers to them any more.

        Raises:
            MemoryError: The pool would have to grow, and may not.
        """
        size = max(1, -(-nbytes // GRANULE)) * GRANULE
        waiting = self._free[arena, size]
        if waiting:
            block = waiting.pop()
        elif not may_grow:
            raise MemoryError("the pool has to grow while a stream captures in a mode in which it may not")
        else:
            block = Block(size, arena)
            self.acquired += size
        self._used[block.address] = block
        self.taken += size
        self.peak = max(self.peak, self.taken)
        held = np.frombuffer((ctypes.c_char * nbytes).from_address(block.address), np.uint8) if nbytes else None
        if held is None:
            held = np.empty(0, np.uint8)
        weakref.finalize(held, self._give_back, block).atexit = False
        return held

    def _give_back(self, block: Block) -> None:
        block.bytes[...] = POISON
        self.taken -= block.size
        del self._used[block.address]
        self._free[block.arena, block.size].append(block)

    def block_at(self, address: int) -> Block | None:
        """The block in use that holds this address; None if it is no memory of a device."""
        found = self._used.get(address - address % GRANULE)
        if found is not None:
            return found
        for block in self._used.values():
            if block.address <= address < block.address + block.size:
                return block
        return None

    def used_bytes(self) -> int:
        return self.taken

    def total_bytes(self) -> int:
        return self.acquired
