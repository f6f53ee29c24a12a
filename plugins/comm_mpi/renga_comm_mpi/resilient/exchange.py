"""Telling something to all, where ranks may die meanwhile.

A collective of Open MPI 5.0 that a death interrupts may return on some ranks without an error, and with data that
nobody has sent. So each message has its length and a checksum.
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
    """Return what all have told, by their ranks. Collective.

    Args:
        comm: Of these ranks.
        message: Something that can be pickled in some 1,000 bytes.

    Raises:
        RanksLost: A message is not what its rank has sent.
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
