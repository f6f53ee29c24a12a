"""Communicators whose group survives failures of its ranks.

The steps of each rank of a resilient group::

    while there is work:
        try:
            compute, and call collectives
            communicator.commit()       # all have come here, or nobody returns from this call
            change the state            # without communication, so nothing can fail half-way
        except RanksLost:
            undo what this attempt has changed
            change = communicator.recover()   # who is in the group now
            give the state to those in change.newcomers

`commit` is the central method: it returns on all survivors, or raises on all survivors. Work after it need not be
repeated; work before it is repeated by all. `renga_distributed.recovery` does this for a trainer.

Bland, Bouteiller, Herault, Bosilca, Dongarra, Post-failure recovery of MPI communication capability: design and
rationale, International Journal of High Performance Computing Applications 27 (2013).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from renga_core.communicator import CommunicatorBase, RankFailed
from renga_core.errors import RengaError

__all__ = ["Change", "RanksLost", "ResilientBase", "ResilientHost", "TooFew", "has_several"]


class RanksLost(RankFailed):
    """Ranks of a resilient group have died. Raised on every survivor, in its current or next collective.

    The group cannot be used until all survivors have called `ResilientBase.recover`.
    """


class TooFew(RengaError):
    """Fewer ranks are left than the job needs, or none that has the state."""


@dataclass(frozen=True)
class Change:
    """How a group has changed.

    Attributes:
        previous: For each rank of the new group its rank in the old one; None for a process without a state, which has
            joined and not committed since.
        lost: Ranks of the old group that died.
        left: Ranks of the old group that left on request.
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
        """The rank of the new group that sends the state: the lowest one that was in the old group."""
        return next(rank for rank, before in enumerate(self.previous) if before is not None)

    def then(self, later: Change) -> Change:
        """Return this change and a later one as a single change."""
        previous = tuple(None if rank is None else self.previous[rank] for rank in later.previous)
        lost, left = (
            tuple(sorted({*before, *(old for rank in now if (old := self.previous[rank]) is not None)}))
            for before, now in ((self.lost, later.lost), (self.left, later.left))
        )
        return Change(previous, lost, left, self.seconds + later.seconds)


class ResilientBase(CommunicatorBase, ABC):
    """The additional methods of a resilient communicator.

    The object stays the same when the group changes: `rank` and `size` change. Groups made from it by `split` are made
    again in the same order.

    All collectives raise `RanksLost` on every survivor when a rank has died: in the same call, or, on ranks that had
    completed it, in the next call.

    Attributes:
        lacks_state: Whether this process has joined the group and does not have the state of the run yet. For
            `renga_distributed.recovery`.
    """

    lacks_state: bool = False

    @property
    @abstractmethod
    def is_spare(self) -> bool:
        """Whether this process is a spare. Until `join` it is alone: rank 0 of 1."""

    @abstractmethod
    def join(self) -> Change | None:
        """Wait to join the group; returns None if the job has ended without needing this process."""

    @abstractmethod
    def commit(self) -> bool:
        """Vote that this rank has reached this point. Uniform: it returns on all survivors, or raises on all.

        Returns:
            Whether the group must change, because a process waits to join or a rank wants to leave. Then all ranks call
            `admit` before their next iteration. The same on all ranks.

        Raises:
            RanksLost: A rank of the group has died before it voted.
        """

    @abstractmethod
    def recover(self) -> Change:
        """Form a working group of the survivors, with spares or new processes, depending on the job's configuration.

        Every survivor calls it after `RanksLost`. It handles further deaths itself.

        Raises:
            RengaError: There are fewer survivors than the job needs.
        """

    @abstractmethod
    def admit(self) -> Change | None:
        """Between two iterations: add waiting processes, and let ranks leave that want to. Collective.

        Returns:
            None on ranks that have left: they must end their program.

        Raises:
            RanksLost: A rank has died meanwhile.
        """

    @property
    def is_lost(self) -> bool:
        """Whether a loss is known that no call has reported yet. Then any error may follow from wrong results."""
        return False

    @abstractmethod
    def ask_to_leave(self) -> None:
        """Let this rank leave at the next boundary, as when the machine is about to be taken away (SIGTERM)."""


class ResilientHost(ResilientBase):
    """A resilient communicator that another one uses between hosts; devices have a network of their own.

    A rank that waits for its device is not in a call of this communicator. So it asks for losses from another thread,
    and it reports failures of the device's network.
    """

    @abstractmethod
    def loss(self) -> str:
        """Return why the group must recover, as far as this process knows; "" if it need not.

        It does not wait, and any thread may call it, but not during `join`, `recover`, `admit` and `finalize`.
        """

    @abstractmethod
    def revoke(self, why: str) -> None:
        """Make all ranks raise `RanksLost` in their current or next call. Any thread may call it, as `loss`."""


def has_several(communicator: CommunicatorBase) -> bool:
    """Whether a communicator has several ranks, or may have them later."""
    return communicator.size > 1 or isinstance(communicator, ResilientBase)
