"""Ranks check that all make the same call, and notice that a rank has ended its program."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from renga_comm_mpi import failures
from renga_comm_mpi.calls import Calls, Pause
from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.world import ranks_in_world
from renga_core.communicator import MismatchError

__all__ = ["Agreement", "agree_to_make", "forget"]

Call = tuple[str, object]
"""The collective that a rank calls, and its parameters."""

_END: Call = ("the end of its program", None)
_MAKE = "create_communicator"
_alive: list[Agreement] = []
"""The checks of all groups that are not finalized, in order of creation."""


class Agreement:
    """Called before every collective of a group, with its description. It is a collective itself.

    A rank that has ended its program still takes part: the others get a `MismatchError` and do not wait forever.

    Args:
        calls: The calls of the group; each of its collectives begins with this check.
        serves_program: The program calls its collectives, in the same order on all ranks; not a thread of its own.
    """

    def __init__(self, calls: Calls, serves_program: bool) -> None:
        self._calls = calls
        self._own, self._largest = np.empty((2, 3), np.int64)
        if calls.size > 1:
            failures.serve_at_exit(self._announce_end)
            if serves_program:
                _alive.append(self)

    def finalize(self) -> None:
        """Stop checking."""
        if self in _alive:
            _alive.remove(self)

    def __call__(self, what: str, detail: object, number: float = 0.0) -> float:
        """Return the largest of the ranks' nonnegative numbers, if all make the same call.

        Raises:
            MismatchError: The calls differ; raised on every rank.
        """
        self._calls.wait([self._begin((what, detail), number)])
        if self._digests_differ():
            try:
                for request in self._hear((what, detail)):
                    self._calls.wait([request])
            except MismatchError as error:
                _meet_makers(error.given, self)
                raise
        return float(self._largest[2:].view(np.float64)[0])

    def meet(self, call: Call) -> Iterator[MPI.Request]:
        """`__call__` in steps: wait for each request before the next step."""
        yield self._begin(call)
        if self._digests_differ():
            yield from self._hear(call)

    def _begin(self, call: Call, number: float = 0.0) -> MPI.Request:
        # One short exchange: the digests are equal if the largest is the smallest. Python's own hash differs between
        # processes. The bits of nonnegative numbers are ordered like the numbers.
        digest = int.from_bytes(hashlib.blake2b(repr(call).encode(), digest_size=7).digest(), "little")
        self._own[:2] = digest, -digest
        self._own[2:].view(np.float64)[0] = number
        # Not Allreduce, which would not match: an ended rank must not occupy a core while waiting.
        return self._calls.comm.Iallreduce(self._own, self._largest, MPI.MAX)

    def _digests_differ(self) -> bool:
        return bool(self._largest[0] != -self._largest[1])

    def _hear(self, call: Call) -> Iterator[MPI.Request]:
        """Exchange what each rank calls; raise MismatchError if they do not call the same."""
        comm, message = self._calls.comm, np.frombuffer(pickle.dumps(call), np.uint8)
        lengths = np.empty(comm.size, np.int64)
        yield comm.Iallgather(np.array([len(message)], np.int64), lengths)
        found = np.empty((comm.size, lengths.max()), np.uint8)
        yield comm.Iallgather(np.pad(message, (0, found.shape[1] - len(message))), found)
        given = [pickle.loads(one.tobytes()) for one in found]
        if any(one != given[0] for one in given):
            raise MismatchError(given, comm.rank)

    def _announce_end(self) -> Iterator[None]:
        """Tell ranks that call a collective that this rank has ended; a service, see `serve_at_exit`."""
        self._own, self._largest = np.empty((2, 3), np.int64)  # another thread may be in a call that never ends
        while self._calls.comm != MPI.COMM_NULL:
            try:
                for request in self.meet(_END):
                    while not request.Test():
                        yield
            except MismatchError:
                continue
            return

    def is_inside(self, ranks: Sequence[int]) -> bool:
        """Whether all ranks of the group are among these."""
        return set(ranks_in_world(self._calls.comm)) <= set(ranks)


def agree_to_make(mpi_comm: MPI.Comm, name: str) -> None:
    """Check that all ranks of a group create a communicator now, and none waits in a collective of another group.

    Raises:
        MismatchError: A rank makes another call, or has ended its program; raised on that rank, too.
    """
    ranks = ranks_in_world(mpi_comm)
    _meet((_MAKE, {"name": name, "ranks": ranks}), [one for one in _alive if one.is_inside(ranks)])


def forget() -> None:
    """Forget all groups: they are created again."""
    _alive.clear()


def _meet_makers(given: Sequence[Call], met: Agreement) -> None:
    """Join the checks of all other groups, in which ranks that create a communicator wait."""
    for what, detail in given:
        if what == _MAKE and isinstance(detail, dict):
            others = [one for one in _alive if one is not met and one.is_inside(detail["ranks"])]
            with suppress(MismatchError):  # already known
                _meet((what, detail), others)
            return


def _meet(call: Call, agreements: Sequence[Agreement]) -> None:
    """Call all checks at the same time, since another rank may wait in any of them."""
    meetings = [one.meet(call) for one in agreements]
    requests = [next(meeting) for meeting in meetings]
    mismatch: MismatchError | None = None
    pause = Pause()
    while meetings:
        i = next((i for i, request in enumerate(requests) if request.Test()), None)
        if i is None:
            pause()
            continue
        try:
            requests[i] = next(meetings[i])
        except (StopIteration, MismatchError) as error:
            del meetings[i], requests[i]
            mismatch = mismatch or (error if isinstance(error, MismatchError) else None)
    if mismatch is not None:
        raise mismatch
