"""Passing examples between processes through shared memory, which is faster than a pipe.

Examples are pickled (protocol 5, PEP 574), but the data of their arrays are written to shared memory instead. The
memory belongs to the parent process, which creates it and copies the data out of it.

The memory is an unnamed file in ``/dev/shm``. Workers open it by the parent's file descriptor, in ``/proc``. So nothing
of it remains when the last process that uses it ends, even if all are killed at once.
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
    """The description of a slot for a worker.

    Attributes:
        number: Number of the slot; it does not change when the slot gets more memory.
        path: Path of the memory; "" if it has none yet.
        inode: Identifies the file, because file descriptors, and so paths, are reused.
        capacity: Size in bytes.
    """

    number: int
    path: str
    inode: int
    capacity: int


class Attached(NamedTuple):
    """A slot's memory that a worker has opened.

    Attributes:
        inode: Identifies the memory; see `SlotAddress`.
        memory: Its bytes; None if the worker cannot open it.
    """

    inode: int
    memory: mmap | None


class Packet(NamedTuple):
    """Examples in transit.

    Attributes:
        pickled: The examples; without the data of arrays if these are in the slot.
        lengths: Bytes of each array in the slot; None if the slot was not used.
        needed: Bytes of shared memory that the arrays need.
    """

    pickled: bytes
    lengths: tuple[int, ...] | None
    needed: int


class Slot:
    """Shared memory for one share of a batch, on the parent's side.

    Args:
        number: Number of the slot.
        capacity: Size in bytes.
        fixed: Never allocate more memory.

    Raises:
        OSError: There is not enough shared memory.
    """

    def __init__(self, number: int, capacity: int, fixed: bool) -> None:
        self._number = number
        self._fixed = fixed
        self._memory: mmap | None = None
        if capacity:
            self._allocate(capacity)

    @property
    def address(self) -> SlotAddress:
        """The address for workers."""
        if self._memory is None:
            return SlotAddress(self._number, "", 0, 0)
        number = self._file.fileno()
        return SlotAddress(self._number, f"/proc/{os.getpid()}/fd/{number}", os.fstat(number).st_ino, len(self._memory))

    def copy(self, size: int) -> memoryview:
        """Return a copy of the first `size` bytes."""
        assert self._memory is not None  # a worker has used it
        return np.frombuffer(self._memory, np.uint8, size).copy().data

    def grow(self, needed: int) -> None:
        """Allocate memory for `needed` bytes, unless the slot is fixed or there is not enough."""
        if self._fixed:
            return
        self.free()
        try:
            # A quarter more, so that varying sizes do not make it grow again and again.
            self._allocate(needed + needed // 4)
        except OSError:
            self._fixed = True

    def free(self) -> None:
        """Free the memory. This also happens at the end of the slot or the process."""
        if self._memory is not None:
            self._file.close()
            self._memory = None

    def _allocate(self, size: int) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(  # noqa: SIM115 - it stays open
            dir=_FOLDER, prefix="renga_", buffering=0
        )
        weakref.finalize(self, self._file.close)
        # The system promises memory freely, and kills the process that writes to it if it is missing: reserve it now.
        try:
            os.posix_fallocate(self._file.fileno(), 0, size)
            self._memory = mmap(self._file.fileno(), size)
        except OSError:
            self._file.close()
            raise


def pack(examples: list[Any], address: SlotAddress | None, attached: dict[int, Attached]) -> Packet:
    """Put examples into a slot, on the worker's side.

    Args:
        examples: Anything that can be pickled.
        address: The slot; None: use no shared memory.
        attached: The memory of the slots that this worker has used, by number; updated.
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
    """Take the examples out of a packet and its slot, on the parent's side.

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
    """Map the memory; None if the system does not allow it: examples then use the pipe."""
    try:
        file = os.open(address.path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        # The parent may have closed it, and may have another file there now.
        return mmap(file, address.capacity) if os.fstat(file).st_ino == address.inode else None
    finally:
        os.close(file)


def _padded(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT
