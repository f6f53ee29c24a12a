"""Communicators whose group outlives the death of its ranks.

What the ranks of a resilient group do, in order::

    while there is work:
        try:
            compute, and call collectives
            communicator.commit()       # all have come here, or nobody returns from this call
            change the state            # without communication, so nothing can fail half-way
        except RanksLost:
            undo what this attempt has changed
            change = communicator.recover()   # who is in the group now
            give the state to those in change.newcomers

`commit` is the heart of it: it returns on all survivors or raises on all survivors. What is done after it needs no
repetition; what was done before it is repeated by all. `renga_distributed.recovery` does this for a trainer.

Bland, Bouteiller, Herault, Bosilca, Dongarra, Post-failure recovery of MPI communication capability: design and
rationale, International Journal of High Performance Computing Applications 27 (2013).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from renga_core.communicator import CommunicatorBase, RankFailed

__all__ = ["Change", "RanksLost", "ResilientBase"]


class RanksLost(RankFailed):
    """Ranks of a resilient group have died. Raised on every survivor, in its present or next collective.

    The group is of no use until all survivors have called `ResilientBase.recover`.
    """


@dataclass(frozen=True)
class Change:
    """How a group has changed.

    Attributes:
        previous: For each rank of the new group its rank in the old one; None for a process that has no state: it has
            joined, and has not committed since.
        lost: Ranks of the old group that died.
        left: Ranks of the old group that left because they were asked to.
        seconds: From the error to the working group, on this rank.
    """

    previous: tuple[int | None, ...]
    lost: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    seconds: float = 0.0

    @property
    def newcomers(self) -> tuple[int, ...]:
        """Ranks of the new group that need the state."""
        return tuple(rank for rank, before in enumerate(self.previous) if before is None)

    @property
    def source(self) -> int:
        """The rank of the new group that has the state, and gives it: the lowest that was there before."""
        return next(rank for rank, before in enumerate(self.previous) if before is not None)


class ResilientBase(CommunicatorBase, ABC):
    """What a resilient communicator can do beside everything that others can.

    The object stays the same when the group changes: `rank` and `size` change, and so do the groups that `split` has
    made of it, which are made again in the order in which they were made.

    All collectives raise `RanksLost` on every survivor when a rank has died: in the same call, or, on ranks that had
    completed it, in the next.

    Attributes:
        lacks_state: Whether this process has joined the group, and has still to get the state of the run. For
            `renga_distributed.recovery`.
    """

    lacks_state: bool = False

    @property
    @abstractmethod
    def is_spare(self) -> bool:
        """Whether this process waits for a place. Until `join` it is alone: rank 0 of 1."""

    @abstractmethod
    def join(self) -> Change | None:
        """Wait for a place in the group; None if the job has ended without need of this process."""

    @abstractmethod
    def commit(self) -> bool:
        """Vote that this rank has come here. Uniform: it returns on all survivors, or raises on all.

        Returns:
            Whether the group is to change: somebody waits to join, or is to leave. Then all ranks call `admit` at their
            next boundary between iterations. The same on all ranks.

        Raises:
            RanksLost: A rank of the group has died before it voted.
        """

    @abstractmethod
    def recover(self) -> Change:
        """Make a working group of the survivors, and of spares or new processes as the job is configured.

        Called by every survivor after `RanksLost`. Deaths while it runs are dealt with by itself.

        Raises:
            RengaError: Fewer survivors are left than the job needs.
        """

    @abstractmethod
    def admit(self) -> Change | None:
        """At a boundary between iterations: take in those who wait, and let those go who are to leave. Collective.

        Returns:
            None on ranks that have left: they end their program.

        Raises:
            RanksLost: A rank has died meanwhile.
        """

    @abstractmethod
    def ask_to_leave(self) -> None:
        """Let this rank leave at the next boundary, as when the machine is about to be taken away (SIGTERM)."""
