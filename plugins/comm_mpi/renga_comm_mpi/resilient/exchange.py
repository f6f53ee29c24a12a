"""Exchange messages between all ranks, some of which may die meanwhile.

If a death interrupts a collective of Open MPI 5.0, some ranks may get wrong data without an error. So each message has
its length and a checksum.
"""

from __future__ import annotations

import pickle
import struct
import zlib
from typing import Any

from renga_comm_base.resilience import RanksLost
from renga_comm_mpi.mpi import MPI

__all__ = ["exchange"]

_SLOT = 1024
_HEAD = struct.Struct("<II")


def exchange(comm: MPI.Comm, message: Any) -> list[Any]:
    """Return the messages of all ranks, by rank. Collective.

    Args:
        comm: The communicator of the ranks.
        message: An object that pickles to about 1,000 bytes at most.

    Raises:
        RanksLost: A message is damaged.
        mpi4py.MPI.Exception: MPI has noticed a death.
    """
    text = pickle.dumps(message)
    own = (_HEAD.pack(len(text), zlib.crc32(text)) + text).ljust(_SLOT, b"\0")
    assert len(own) == _SLOT, "a message fits into its slot"
    slots = bytearray(_SLOT * comm.size)
    comm.Allgather(own, slots)
    return [_opened(bytes(slots[begin : begin + _SLOT])) for begin in range(0, len(slots), _SLOT)]


def _opened(slot: bytes) -> Any:
    length, checksum = _HEAD.unpack_from(slot)
    text = slot[_HEAD.size : _HEAD.size + length]
    if not text or zlib.crc32(text) != checksum:
        raise RanksLost("a rank has died while all told each other who they are")
    return pickle.loads(text)
