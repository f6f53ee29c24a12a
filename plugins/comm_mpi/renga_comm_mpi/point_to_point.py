"""Messages from one rank to another. Waiting for a rank that has ended its program raises an error.

The first time a rank waits for another, it asks to be notified of the other's end, by an empty message. It then waits
for the message or the notice, whichever comes first. An ended rank answers such requests until all have ended.

Notices use the watchdog's communicators, which are never freed. A request may stay unread, and MPI could deliver it to
a later communicator if its own were freed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from renga_comm_mpi import failures, watchdog
from renga_comm_mpi.calls import Calls, Pause
from renga_comm_mpi.mpi import MPI
from renga_core.communicator import RankFailed

__all__ = ["PointToPoint", "forget"]

_ASK, _END = 3, 4  # the watchdog uses other numbers
_GRACE = 1.0
"""Seconds to wait after a notice for earlier messages, which MPI may deliver later than the notice."""

_ends: dict[int, list[MPI.Request]] = {}
"""Pending notices by world rank: one for each thread that has waited for the rank."""
_answering: list[watchdog.Channel] = []
_undelivered: list[MPI.Request] = []
"""Requests not yet received: MPI may read their memory as long as it runs."""


class PointToPoint(Calls):
    """`Calls` between two ranks that raise `RankFailed` if the other rank has ended its program.

    Args:
        comm: The group; nothing else may send messages in it.
        group: The watchdog's object for the same group.
        patient: See `Calls`.
    """

    def __init__(self, comm: MPI.Comm, group: watchdog.Group, patient: bool) -> None:
        super().__init__(comm, patient)
        if self.size > 1:
            self._ranks = group.ranks
            channel = watchdog.channel_of(group)
            assert channel is not None, "the group has been registered"
            self._channel = channel
            if self._channel not in _answering:
                _answering.append(self._channel)
                failures.serve_at_exit(partial(_announce_end, self._channel.mpi_comm))

    def __call__(self, name: str, *args: Any) -> None:
        """Call ``Send`` or ``Recv`` with the data, the other rank and a tag, and wait.

        Raises:
            RankFailed: The other rank has ended its program.
        """
        _, peer, tag = args
        request = getattr(self.comm, "I" + name.lower())(*args)
        ends = _ends.setdefault(self._ranks[peer], [])
        try:
            end = ends.pop()
        except IndexError:
            end = self._ask(peer)
        try:
            if self._arrives(request, end):
                return
        finally:
            ends.append(end)
        receives = name == "Recv"
        if receives:
            status = MPI.Status()
            request.Cancel()
            request.Wait(status)
            if not status.Is_cancelled():  # the message has just arrived
                return
        else:
            _undelivered.append(request)
        missing, call = ("send what this rank waits for", "send") if receives else ("take what this rank sends", "recv")
        error = RankFailed(
            f"rank {peer} has ended its program, and will not {missing} (tag {tag}; this is rank {self.rank}). "
            f"Next: see where rank {peer} leaves a loop earlier than this rank, or calls {call} less often"
        )
        error.on_every_rank = False  # type: ignore[attr-defined]  # so this rank says it, under `renga train`, too
        raise error

    def _ask(self, peer: int) -> MPI.Request:
        comm, place = self._channel.mpi_comm, self._channel.ranks.index(self._ranks[peer])
        end: MPI.Request = comm.Irecv(np.empty(0, np.uint8), place, _END)
        comm.Isend(np.empty(0, np.uint8), place, _ASK).Free()
        return end

    def _arrives(self, request: MPI.Request, end: MPI.Request) -> bool:
        """Wait for a message, or for the end of the other rank; return whether it is the message."""
        if end != MPI.REQUEST_NULL:  # not known to have ended
            if self.patient:
                pause = Pause()
                while not MPI.Request.Testany([request, end])[1]:
                    pause()
            else:
                MPI.Request.Waitany([request, end])
        deadline, pause = time.monotonic() + _GRACE, Pause()
        while not request.Test():
            if time.monotonic() > deadline:
                return False
            pause()
        return True


def forget() -> None:
    """Forget pending notices, because ranks have changed."""
    _ends.clear()
    _answering.clear()
    _undelivered.clear()


def _announce_end(comm: MPI.Comm) -> Iterator[None]:
    """Answer requests with the notice that this rank has ended; a service, see `serve_at_exit`."""
    empty, status = np.empty(0, np.uint8), MPI.Status()
    while True:
        while comm.Iprobe(MPI.ANY_SOURCE, _ASK, status):
            asker = status.Get_source()
            comm.Recv(empty, asker, _ASK)
            comm.Isend(empty, asker, _END).Free()
        yield
