"""MPI calls of one group of ranks, and waiting in them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_comm_mpi.mpi import MPI

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EAGER", "PIECE", "Bytes", "Calls", "Pause", "as_bytes"]

Bytes = Any
"""A host array of uint8 with one axis (an alias: NumPy's types cannot express it)."""

PIECE = 2**30
"""Largest number of bytes in one message: MPI counts with 32 bits."""

EAGER = 60 * 1024
"""Bytes in one message of an exchange between machines. Open MPI sends messages below 64 KiB, header included, at once.
For longer messages it waits for an answer, which over TCP queues behind data in the other direction: two ranks that
send to each other at the same time get half the bandwidth. Within one machine there is no queue, and pieces take two to
eight times as long as one message."""

_AHEAD = 256 * EAGER
"""Largest number of bytes sent to a rank before its own data arrive: MPI may keep copies."""

_SLOT = 512
"""Size of the first message, known to all ranks; longer data need a second message."""
_LENGTH = 8


class Calls:
    """The MPI operations that communicators need: send, gather and exchange bytes.

    Args:
        comm: The group; nothing else may send messages in it.
        patient: Wait by polling and sleeping in turn. Otherwise MPI polls all the time, which occupies a core but is
            some microseconds faster.
        crosses: The group spans several machines.
    """

    def __init__(self, comm: MPI.Comm, patient: bool = False, crosses: bool = False) -> None:
        self.comm = comm
        self.patient = patient
        self.crosses = crosses
        self.rank = comm.Get_rank()
        self.size = comm.Get_size()

    def __call__(self, name: str, *args: Any) -> None:
        """Call a method of the group, given its blocking name, and wait."""
        if self.patient:
            self.wait([getattr(self.comm, "I" + name.lower())(*args)])
        else:
            getattr(self.comm, name)(*args)

    def wait(self, requests: list[MPI.Request]) -> None:
        """Wait until all have ended."""
        if not self.patient:
            MPI.Request.Waitall(requests)
            return
        pause = Pause()
        while not MPI.Request.Testall(requests):
            pause()

    # --- bytes of which the receiver knows how many there are ---------------------------------------------------------

    def send(self, data: Bytes, dest: int, tag: int) -> None:
        """Send bytes to a rank."""
        for piece in _pieces(data):
            self("Send", piece, dest, tag)

    def recv(self, into: Bytes, source: int, tag: int) -> None:
        """Receive bytes from a rank into memory."""
        for piece in _pieces(into):
            self("Recv", piece, source, tag)

    def bcast(self, data: Bytes, root: int, limit: int = PIECE) -> None:
        """Broadcast memory from rank `root`, at most `limit` bytes at a time."""
        for piece in _pieces(data, limit):
            self("Bcast", piece, root)

    def exchange(self, outgoing: Sequence[Bytes | None], incoming: Sequence[Bytes | None]) -> None:
        """Send each rank its entry, and receive its data into the other entry; None: nothing."""
        longest = max((len(data) for data in (*outgoing, *incoming) if data is not None), default=0)
        step, limit = (_AHEAD, EAGER) if self.crosses else (max(longest, 1), PIECE)
        for begin in range(0, longest, step):
            requests = []
            for i in range(1, self.size):
                source = (self.rank - i) % self.size
                if (into := incoming[source]) is not None:
                    requests += [self.comm.Irecv(piece, source) for piece in _pieces(into[begin : begin + step], limit)]
            for i in range(1, self.size):
                dest = (self.rank + i) % self.size
                if (data := outgoing[dest]) is not None:
                    requests += [self.comm.Isend(piece, dest) for piece in _pieces(data[begin : begin + step], limit)]
            self.wait(requests)
        own, into = outgoing[self.rank], incoming[self.rank]
        if own is not None and into is not None:
            into[:] = own

    # --- messages of any length ---------------------------------------------------------------------------------------

    def send_message(self, message: bytes, dest: int, tag: int) -> None:
        """Send bytes of a length unknown to the receiver."""
        self("Send", _slot(message), dest, tag)
        self.send(_rest(message), dest, tag)

    def recv_message(self, source: int, tag: int) -> bytes:
        """Return the bytes that a rank sends by `send_message`."""
        slot = np.empty(_SLOT, np.uint8)
        self("Recv", slot, source, tag)
        rest = _room(slot)
        self.recv(rest, source, tag)
        return _message(slot, rest)

    def bcast_message(self, message: bytes, root: int, limit: int = PIECE) -> bytes:
        """Return the bytes of rank `root`; the argument of other ranks is ignored."""
        slot = _slot(message) if self.rank == root else np.empty(_SLOT, np.uint8)
        self("Bcast", slot, root)
        rest = _rest(message) if self.rank == root else _room(slot)
        self.bcast(rest, root, limit)
        return message if self.rank == root else _message(slot, rest)

    def gather_messages(self, message: bytes, root: int) -> list[bytes] | None:
        """Return the bytes of all ranks on rank `root`; None on the others."""
        slots = np.empty((self.size, _SLOT), np.uint8) if self.rank == root else None
        self("Gather", _slot(message), slots, root)
        outgoing: list[Bytes | None] = [None] * self.size
        outgoing[root] = _rest(message)
        if slots is None:
            self.exchange(outgoing, [None] * self.size)
            return None
        rests = [_room(slot) for slot in slots]
        self.exchange(outgoing, rests)
        return [_message(slot, rest) for slot, rest in zip(slots, rests, strict=True)]

    def allgather_ints(self, number: int) -> list[int]:
        """Return the bytes of all ranks, on every rank."""
        found = np.empty(self.size, np.int64)
        self("Allgather", np.array([number], np.int64), found)
        return [int(one) for one in found]

    def allgather_messages(self, message: bytes) -> list[bytes]:
        """Return the bytes of all ranks, on every rank."""
        slots = np.empty((self.size, _SLOT), np.uint8)
        self("Allgather", _slot(message), slots)
        rests = [_room(slot) for slot in slots]
        self.exchange([_rest(message)] * self.size, rests)
        return [_message(slot, rest) for slot, rest in zip(slots, rests, strict=True)]


class Pause:
    """The pause between two polls of a patient wait: none at first, then longer and longer sleeps."""

    LOOKS = 20
    SHORTEST, LONGEST, GROWTH = 20e-6, 500e-6, 1.2

    def __init__(self) -> None:
        self._looks = 0
        self._sleep = self.SHORTEST

    def __call__(self) -> None:
        """Pause."""
        self._looks += 1
        if self._looks > self.LOOKS:
            time.sleep(self._sleep)
            self._sleep = min(self.GROWTH * self._sleep, self.LONGEST)


def as_bytes(array: NDArray[Any]) -> Bytes:
    """Return the memory of a contiguous array."""
    return array.reshape(-1).view(np.uint8)


def _pieces(data: Bytes, limit: int = PIECE) -> list[Bytes]:
    return [data[begin : begin + limit] for begin in range(0, len(data), limit)]


def _slot(message: bytes) -> Bytes:
    """Return a message's length and the first bytes that fit beside it."""
    return np.frombuffer((len(message).to_bytes(_LENGTH, "little") + message).ljust(_SLOT, b"\0")[:_SLOT], np.uint8)


def _rest(message: bytes) -> Bytes:
    """Return the bytes that did not fit in the slot."""
    return np.frombuffer(message[_SLOT - _LENGTH :], np.uint8)


def _room(slot: Bytes) -> Bytes:
    """Return memory for bytes that did not fit in a slot."""
    return np.empty(max(0, int.from_bytes(slot[:_LENGTH].tobytes(), "little") - (_SLOT - _LENGTH)), np.uint8)


def _message(slot: Bytes, rest: Bytes) -> bytes:
    length = int.from_bytes(slot[:_LENGTH].tobytes(), "little")
    found: bytes = slot[_LENGTH : _LENGTH + length].tobytes() + rest.tobytes()
    return found
