"""The MPI communicators of a group whose ranks may die. Votes on them, and revokes and ends them together.

A rank that finds another one dead stops, while others may wait for it in any of these communicators. So it revokes
all: this wakes ranks that wait in a collective or for a message. Nothing wakes ranks that wait in a vote, so it also
votes on all that it does not continue. Ranks that learn of the loss by such a vote do the same. A communicator may
therefore be used only after a vote on its parent has shown that all its ranks have it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from enum import IntFlag

import numpy as np

from renga_comm_base.resilience import RanksLost
from renga_comm_mpi.calls import Pause
from renga_comm_mpi.mpi import MPI
from renga_core.communicator import MismatchError

__all__ = ["Family", "Vote", "tells_of_loss"]

_LOSS = {
    getattr(MPI, name, MPI.ERR_UNKNOWN)
    for name in ("ERR_PROC_FAILED", "ERR_PROC_FAILED_PENDING", "ERR_REVOKED", "ERR_IN_STATUS", "ERR_PENDING")
} - {MPI.ERR_UNKNOWN}
_NEWS = 0.2
"""Time in seconds to wait for news of a death that explains an error."""


class Vote(IntFlag):
    """The vote of a rank. The result of a vote contains the flags that all ranks have set."""

    GOES_ON = 1
    """It knows of no loss."""
    STEADY = 2
    """It knows of no process that waits for a place, and need not leave."""
    NOBODY_CAME = 128
    """It knows of no newcomers that are ready."""
    COMMITS = 4
    ADMITS = 8
    MAKES = 16
    FREES = 32
    ENDS = 64


_WHAT = {
    Vote.COMMITS: "commit",
    Vote.ADMITS: "admit",
    Vote.MAKES: "split",
    Vote.FREES: "finalize",
    Vote.ENDS: "the end of its program",
}


def tells_of_loss(error: BaseException, comms: Iterable[MPI.Comm]) -> bool:
    """Whether an error is due to the death of a rank.

    Either the error code of MPI tells so, or a death is known that explains it: if a death interrupts an operation,
    Open MPI 5.0 may also raise ``MPI_ERR_OTHER``, or return data that nobody has sent, which then fail in Python.

    Args:
        error: The error.
        comms: Communicators of the ranks that may have died.
    """
    if isinstance(error, MPI.Exception) and error.Get_error_class() in _LOSS:
        return True
    if not isinstance(error, Exception):
        return False
    comms = [comm for comm in comms if comm != MPI.COMM_NULL and comm.size > 1]
    until = time.monotonic() + _NEWS
    while comms:
        if any(_has_lost(comm) for comm in comms):
            return True
        if time.monotonic() > until:
            break
        time.sleep(_NEWS / 20)
    return False


def _has_lost(comm: MPI.Comm) -> bool:
    try:
        comm.Iprobe(MPI.ANY_SOURCE)  # this lets MPI hear of deaths
    except MPI.Exception:
        return True
    return bool(comm.Is_revoked() or comm.Get_failed().size)


class Family:
    """The MPI communicators of one group, until one of its ranks dies.

    Attributes:
        seat: The seat of this process in the group: see `Member`.
    """

    def __init__(self) -> None:
        self.seat = 0
        self._all: list[MPI.Comm] = []
        self._voting: list[MPI.Comm] = []
        """Communicators with possible votes, none of which has failed."""

    def adopt(self, comms: list[MPI.Comm]) -> None:
        """Add communicators that all their ranks have. Votes use the first one."""
        for comm in comms:
            comm.Set_errhandler(MPI.ERRORS_RETURN)
        self._all += comms
        self._voting += comms[:1]

    def make(self, parent: MPI.Comm, color: int, key: int, count: int) -> list[MPI.Comm]:
        """Divide a group by ``MPI_Comm_split``, `count` times in the same way. Collective.

        Raises:
            RanksLost: It failed on a rank.
        """
        made: list[MPI.Comm] = []
        try:
            for _ in range(count):
                made.append(parent.Split(color, key))
        except MPI.Exception as error:
            if not tells_of_loss(error, [parent]):
                raise
            self._all += made
            raise RanksLost("a rank has died while a group was made") from error
        self.adopt(made)
        try:
            self.vote(parent, Vote.MAKES)
        except RanksLost:
            self._voting.remove(made[0])  # others may not have it
            raise
        return made

    def free(self, comms: list[MPI.Comm]) -> None:
        """Free communicators that `make` has made. Collective.

        Raises:
            RanksLost: A rank has died.
        """
        self.vote(comms[0], Vote.FREES)
        self._voting.remove(comms[0])
        for comm in comms:
            self._all.remove(comm)
            comm.Free()

    def vote(self, comm: MPI.Comm, what: Vote, steady: bool = True, nobody_came: bool = True) -> Vote:
        """Vote on a communicator. The result is the same on all its ranks.

        Args:
            comm: A communicator for votes.
            what: The action of this rank.
            steady: Whether it wants no change.
            nobody_came: Whether it knows of no newcomers that are ready.

        Returns:
            The flags that all ranks have set.

        Raises:
            RanksLost: A rank has died, or knows of a death; raised on all ranks that are alive.
            MismatchError: Ranks do different things; raised on all.
        """
        given = Vote.GOES_ON | what
        given |= (Vote.STEADY if steady else Vote(0)) | (Vote.NOBODY_CAME if nobody_came else Vote(0))
        if comm.size == 1:
            return given
        try:
            found = Vote(comm.Agree(int(given)))
        except MPI.Exception as error:
            if not tells_of_loss(error, [comm]):
                raise
            self._voting.remove(comm)
            raise RanksLost(f"a rank has died; this one voted in {_WHAT[what]}") from error
        self.count(comm, what, found)
        return found

    def begin_vote(self, comm: MPI.Comm, what: Vote) -> tuple[MPI.Request, np.ndarray]:
        """Begin a `vote`: return the request and the array for its result, which `count` takes afterwards."""
        found = np.array([Vote.GOES_ON | Vote.STEADY | what], np.int32)
        return comm.Iagree(found), found

    def count(self, comm: MPI.Comm, what: Vote, found: Vote) -> None:
        """Raise the errors of `vote` for a result; it is 0 if MPI has failed."""
        if not found & Vote.GOES_ON:
            self._voting.remove(comm)
            raise RanksLost(f"a rank has died; this one voted in {_WHAT[what]}")
        if not found & what:
            raise MismatchError([(_WHAT[what], None), ("something else", None)], comm.rank)

    def has_lost(self) -> bool:
        """Whether MPI knows of a death, or another rank has found one; it does not wait."""
        return any(comm != MPI.COMM_NULL and comm.size > 1 and _has_lost(comm) for comm in list(self._all))

    def explains(self, error: BaseException) -> bool:
        """Whether the death of a rank explains an error."""
        return tells_of_loss(error, self._all)

    def revoke(self) -> None:
        """Wake all that wait for other ranks, in this process and in others; nobody can wait again."""
        for comm in list(self._all):
            with suppress(MPI.Exception):
                if comm != MPI.COMM_NULL and comm.size > 1 and not comm.Is_revoked():
                    comm.Revoke()

    def end(self, also: MPI.Comm | None = None) -> None:
        """Revoke all, vote with ranks that wait in votes, and free all. Collective on all ranks that are alive.

        Args:
            also: Another communicator on which to vote that this rank does not continue.
        """
        self.revoke()
        nothing = [np.zeros(1, np.int32) for _ in range(len(self._voting) + 1)]
        requests = []
        for comm, found in zip([*self._voting, *([] if also is None else [also])], nothing, strict=False):
            if comm.size > 1:
                with suppress(MPI.Exception):
                    requests.append(comm.Iagree(found))
        pause = Pause()
        while requests:
            requests = [request for request in requests if not _over(request)]
            pause()
        for comm in self._all:
            if comm != MPI.COMM_NULL:
                comm.Free()
        self._all, self._voting = [], []


def _over(request: MPI.Request) -> bool:
    try:
        return bool(request.Test())
    except MPI.Exception:  # it has ended with an error, as it does where a rank has died
        return True
