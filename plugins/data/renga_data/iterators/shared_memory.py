"""How examples get from one process to another without being squeezed through a pipe.

Examples are pickled (protocol 5, PEP 574), but the data of the arrays in them are left out and laid into a piece of
shared memory instead. It belongs to the parent process, which makes it, copies the data out of it, and removes it.
Should the parent be killed, Python's resource tracker removes it.
"""

from __future__ import annotations

import os
import pickle
import weakref
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Packet", "Slot", "SlotAddress", "pack", "unpack"]

_ALIGNMENT = 64  # a cache line, and what the widest vector instructions like
_FOLDER = Path("/dev/shm")  # where Linux shows shared memory as files


class SlotAddress(NamedTuple):
    """What a worker must know of a slot.

    Attributes:
        number: Stays the same when the slot's memory is replaced by more.
        name: Of the memory; "" if it has none yet.
        capacity: Bytes.
    """

    number: int
    name: str
    capacity: int


class Packet(NamedTuple):
    """Examples on their way.

    Attributes:
        pickled: The examples; without their arrays' data if those are in the slot.
        lengths: Bytes of each array in the slot; None if the slot was not used.
        needed: Bytes of shared memory that the arrays take.
    """

    pickled: bytes
    lengths: tuple[int, ...] | None
    needed: int


class Slot:
    """A piece of shared memory for one share of a batch. The parent's side.

    Args:
        number: Which slot it is.
        capacity: Bytes.
        fixed: Never get more memory, whatever arrives.

    Raises:
        OSError: There is not so much shared memory.
    """

    def __init__(self, number: int, capacity: int, fixed: bool) -> None:
        self._number = number
        self._fixed = fixed
        self._memory: SharedMemory | None = None
        if capacity:
            self._allocate(capacity)

    @property
    def address(self) -> SlotAddress:
        """Where the workers find it."""
        if self._memory is None:
            return SlotAddress(self._number, "", 0)
        return SlotAddress(self._number, self._memory.name, self._memory.size)

    def copy(self, size: int) -> memoryview:
        """Return the first `size` bytes in memory that is nobody else's."""
        assert self._memory is not None  # a worker has used it
        return _bytes(self._memory)[:size].copy().data

    def grow(self, needed: int) -> None:
        """Get memory for `needed` bytes, unless the slot is fixed or there is not so much."""
        if self._fixed:
            return
        self.free()
        try:
            # A quarter more, so that examples of varying size do not make it grow time and again.
            self._allocate(needed + needed // 4)
        except OSError:
            self._fixed = True

    def free(self) -> None:
        """Give the memory back. Happens by itself when the slot, or the interpreter, comes to its end."""
        if self._memory is not None:
            self._release()
            self._memory = None

    def _allocate(self, size: int) -> None:
        memory = SharedMemory(create=True, size=size)
        self._release = weakref.finalize(self, _release, memory, os.getpid())
        self._memory = memory
        try:
            if _FOLDER.is_dir():
                # Memory is promised freely and missed only when written to, which kills the writer: insist on it now.
                with open(_FOLDER / memory.name, "r+b") as file:
                    os.posix_fallocate(file.fileno(), 0, size)
        except OSError:
            self.free()
            raise


def _release(memory: SharedMemory, owner: int) -> None:
    # A process forked from the owner has a copy of the slot, but the memory is not its own.
    if os.getpid() == owner:
        memory.close()
        memory.unlink()


def pack(examples: list[Any], address: SlotAddress | None, attached: dict[int, SharedMemory]) -> Packet:
    """Put examples into a slot. The worker's side.

    Args:
        examples: Anything that can be pickled.
        address: The slot; None to use no shared memory.
        attached: The memory of the slots that this worker has used, by number; kept up to date.
    """
    if address is None:
        return Packet(pickle.dumps(examples, 5), None, 0)
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(examples, 5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    needed = sum(_padded(view.nbytes) for view in views)
    if needed == 0 or needed > address.capacity:
        return Packet(pickle.dumps(examples, 5), None, needed)
    target = _bytes(_attach(address, attached))
    offset = 0
    for view in views:
        target[offset : offset + view.nbytes] = view
        offset += _padded(view.nbytes)
    return Packet(pickled, tuple(view.nbytes for view in views), needed)


def unpack(packet: Packet, slot: Slot | None) -> list[Any]:
    """Get the examples out of a packet and its slot. The parent's side.

    Their arrays are writable and share no memory with the slot, which can be used again.
    """
    if packet.lengths is not None and slot is not None:
        data, offset, buffers = slot.copy(packet.needed), 0, []
        for length in packet.lengths:
            buffers.append(data[offset : offset + length])
            offset += _padded(length)
        return list(pickle.loads(packet.pickled, buffers=buffers))
    if packet.needed and slot is not None:
        slot.grow(packet.needed)
    return list(pickle.loads(packet.pickled))


def _attach(address: SlotAddress, attached: dict[int, SharedMemory]) -> SharedMemory:
    memory = attached.get(address.number)
    if memory is None or memory.name != address.name:
        if memory is not None:
            memory.close()
        attached[address.number] = memory = SharedMemory(address.name)
    return memory


def _bytes(memory: SharedMemory) -> np.ndarray[Any, Any]:
    assert memory.buf is not None  # it is open
    return np.frombuffer(memory.buf, np.uint8)


def _padded(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT
