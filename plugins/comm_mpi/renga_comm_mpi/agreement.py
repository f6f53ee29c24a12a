"""How ranks make sure that all of them call the same, and learn that one of them has ended its program."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator

import numpy as np

from renga_comm_mpi import failures
from renga_comm_mpi.calls import Calls
from renga_comm_mpi.mpi import MPI
from renga_core.communicator import MismatchError

__all__ = ["Agreement"]

_END = ("the end of its program", None)


class Agreement:
    """Called before every collective of a group, with what it is. Collective itself.

    Who has ended its program takes part as long as others go on: they get a `MismatchError`, and do not wait for ever.

    Args:
        calls: The group, in which all collectives begin with this.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._own, self._largest = np.empty((2, 3), np.int64)
        if calls.size > 1:
            failures.take_leave(self._take_leave)

    def __call__(self, what: str, detail: object, number: float = 0.0) -> float:
        """Return the largest of the ranks' numbers, none of them negative, if all say the same.

        Raises:
            MismatchError: They do not; raised on every rank.
        """
        self._calls.wait([self._begin(what, detail, number)])
        return self._conclude(what, detail)

    def _begin(self, what: str, detail: object, number: float = 0.0) -> MPI.Request:
        # One short exchange: digests are all the same where the largest is the smallest. Python's own hash differs
        # between processes. The bits of numbers that are not negative are in the order of the numbers.
        digest = int.from_bytes(hashlib.blake2b(repr((what, detail)).encode(), digest_size=7).digest(), "little")
        self._own[:2] = digest, -digest
        self._own[2:].view(np.float64)[0] = number
        # Not Allreduce, which does not meet this one: who has ended must not take a core while it waits.
        return self._calls.comm.Iallreduce(self._own, self._largest, MPI.MAX)

    def _conclude(self, what: str, detail: object) -> float:
        digests_differ = self._largest[0] != -self._largest[1]
        largest = float(self._largest[2:].view(np.float64)[0])
        if digests_differ:
            given = [pickle.loads(one) for one in self._calls.allgather_messages(pickle.dumps((what, detail)))]
            if any(one != given[0] for one in given):
                raise MismatchError(given, self._calls.rank)
        return largest

    def _take_leave(self) -> Iterator[None]:
        """Tell whoever calls a collective that this rank has ended, until all have; to be gone on with now and then."""
        self._own, self._largest = np.empty((2, 3), np.int64)  # another thread may be in a call that never ends
        while self._calls.comm != MPI.COMM_NULL:
            request = self._begin(*_END)
            while not request.Test():
                yield
            try:
                self._conclude(*_END)
            except MismatchError:
                continue
            return
