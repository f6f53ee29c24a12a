"""Passing examples from one process to another by shared memory, which is faster than a pipe.

Examples are pickled (protocol 5, PEP 574), but the data of the arrays in them are left out and laid into a piece of
shared memory instead. It belongs to the parent process, which makes it and copies the data out of it.

The memory is a file in ``/dev/shm`` that has no name. Workers open it by the parent's file descriptor, in ``/proc``. So
nothing of it is left when the last process that uses it ends, even if all are killed at once.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
from mmap import mmap
from typing import IO, Any, NamedTuple

import numpy as np

__all__ = ["Attached", "Packet", "Slot", "SlotAddress", "pack", "unpack"]

_ALIGNMENT = 64  # a cache line, and what the widest vector instructions like
_FOLDER = "/dev/shm"  # where Linux has shared memory as files


class SlotAddress(NamedTuple):
    """What a worker must know of a slot.

    Attributes:
        number: Stays the same when the slot's memory is replaced by more.
        path: Where to open the memory; "" if it has none yet.
        inode: Tells its file from others: file descriptors, and so paths, are used again.
        capacity: Bytes.
    """

    number: int
    path: str
    inode: int
    capacity: int


class Attached(NamedTuple):
    """Memory of a slot that a worker has open.

    Attributes:
        inode: Which memory it is; see `SlotAddress`.
        memory: Its bytes; None if the worker may not open it.
    """

    inode: int
    memory: mmap | None


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
        self._memory: mmap | None = None
        if capacity:
            self._allocate(capacity)

    @property
    def address(self) -> SlotAddress:
        """Where the workers find it."""
        if self._memory is None:
            return SlotAddress(self._number, "", 0, 0)
        number = self._file.fileno()
        return SlotAddress(self._number, f"/proc/{os.getpid()}/fd/{number}", os.fstat(number).st_ino, len(self._memory))

    def copy(self, size: int) -> memoryview:
        """Return the first `size` bytes in memory that is nobody else's."""
        assert self._memory is not None  # a worker has used it
        return np.frombuffer(self._memory, np.uint8, size).copy().data

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
        """Give the memory back. Happens by itself when the slot, or the process, comes to its end."""
        if self._memory is not None:
            self._file.close()
            self._memory = None

    def _allocate(self, size: int) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(  # noqa: SIM115 - it stays open
            dir=_FOLDER, prefix="renga_", buffering=0
        )
        weakref.finalize(self, self._file.close)
        # Memory is promised freely and missed only when written to, which kills the writer: insist on it now.
        try:
            os.posix_fallocate(self._file.fileno(), 0, size)
            self._memory = mmap(self._file.fileno(), size)
        except OSError:
            self._file.close()
            raise


def pack(examples: list[Any], address: SlotAddress | None, attached: dict[int, Attached]) -> Packet:
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
    memory = _attach(address, attached)
    if memory is None:
        return Packet(pickle.dumps(examples, 5), None, 0)
    target = np.frombuffer(memory, np.uint8)
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


def _attach(address: SlotAddress, attached: dict[int, Attached]) -> mmap | None:
    there = attached.get(address.number)
    if there is None or there.inode != address.inode:
        attached[address.number] = there = Attached(address.inode, _open(address))
    return there.memory


def _open(address: SlotAddress) -> mmap | None:
    """Map the memory; None where the system forbids it: examples then go through the pipe."""
    try:
        file = os.open(address.path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        # The parent may have closed it, and have another file there by now.
        return mmap(file, address.capacity) if os.fstat(file).st_ino == address.inode else None
    finally:
        os.close(file)


def _padded(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT
