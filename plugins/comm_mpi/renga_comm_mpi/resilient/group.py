"""Common base of a resilient group and of the groups that `split` makes from it."""

from __future__ import annotations

import pickle
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, ClassVar

from renga_comm_base.derived import Derived
from renga_comm_base.resilience import RanksLost
from renga_comm_mpi import watchdog
from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.naive_and_flat import MessagesCommunicator
from renga_comm_mpi.resilient.family import Family, Vote

__all__ = ["ResilientGroup"]

_COMMS = 2
"""Number of MPI communicators of a part: for messages and votes, and for collectives."""


class ResilientGroup(Derived, MessagesCommunicator):
    """A group whose ranks may die. Then all its calls raise `RanksLost`, until the group is made again.

    It sums as `flat` does. Its parts are made again with it, see `Derived`.

    Args:
        family: The MPI communicators of the whole group.
        patient: See `MpiCommunicator`.
    """

    name: ClassVar[str] = "resilient"

    def __init__(self, family: Family, patient: bool = False) -> None:
        Derived.__init__(self)
        self._family = family
        self._patient = patient
        self._comms: list[MPI.Comm] = []

    def split(self, color: int, key: int) -> ResilientGroup:
        """See `CommunicatorBase`. A process that joined later gets the groups that others made before, in order."""
        claimed: ResilientGroup | None = self._claimed()
        if claimed is not None:
            return claimed
        with self._waiting("split"):
            self.agree("split", None)
            part: ResilientGroup
            part, given = self._divided(color, key)
            self._family.vote(self._comms[0], Vote.MAKES)  # all have it, or none
        self._keep(part, given)
        return part

    def duplicate(self) -> ResilientGroup:  # noqa: D102
        twin = ResilientGroup(self._family, patient=True)
        with self._waiting("imean"):
            self.agree("imean", None)
            twin._enter(self._family.make(self._comms[0], 0, self.rank, _COMMS))
        return twin

    def finalize(self) -> None:  # noqa: D102
        if self._background is not None:
            self._background.close()
            self._background = None
        if self._comms and not MPI.Is_finalized():
            with self._waiting("finalize"):
                self._agreement.finalize()
                comms, self._comms = self._comms, []
                self._family.free(comms)

    def _enter(self, comms: list[MPI.Comm], channel: watchdog.Channel | None = None) -> None:
        """Replace the current group by this one. Collective."""
        self._comms = comms
        self._group = watchdog.register(comms[0], self.name, serves_program=not self._patient, channel=channel)
        with self._making():
            self._connect(comms[0], comms[1], self._patient)

    def _leave(self) -> None:
        """Have no thread and no MPI communicator; the family is revoked."""
        if self._background is not None:
            self._background.join()
            self._background = None
        for part in self._parts:
            part._leave()

    @property
    def _seat(self) -> int:
        return self._family.seat

    def _new_part(self) -> ResilientGroup:
        return ResilientGroup(self._family)

    def _is_open(self) -> bool:
        return bool(self._comms)

    def _tell_all(self, what: Any) -> list[Any]:
        return [pickle.loads(one) for one in self._calls.allgather_messages(pickle.dumps(what))]

    def _connect_part(self, part: ResilientGroup, color: int, key: int) -> None:
        part._enter(self._family.make(self._comms[0], color, key, _COMMS))

    def _waiting(self, what: str, peer: int | None = None) -> AbstractContextManager[None]:
        return _Losing(self._family, what, super()._waiting(what, peer))


class _Losing:
    """A context of MPI calls: if a rank has died, it wakes all that wait, and raises `RanksLost`."""

    def __init__(self, family: Family, what: str, waiting: AbstractContextManager[None]) -> None:
        self._family, self._what, self._waiting = family, what, waiting

    def __enter__(self) -> None:
        self._waiting.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._waiting.__exit__(kind, error, traceback)
        if error is not None and not isinstance(error, RanksLost) and self._family.explains(error):
            self._family.revoke()
            raise RanksLost(f"a rank has died; this one was in {self._what}. Next: call recover()") from error
