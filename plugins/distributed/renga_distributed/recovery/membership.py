"""Bringing all ranks of a group to one state after it has changed."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from renga_comm_base.resilience import Change, RanksLost, ResilientBase
from renga_core.errors import RengaError
from renga_distributed.transfer import transfer

__all__ = ["BUILDING", "BuildAgain", "Event", "Membership"]

T = TypeVar("T")

BUILDING = "building"
"""What ranks give, where a newcomer asks for the state, that have none yet because they are still building the run."""


class BuildAgain(BaseException):
    """Tells `build_and_run` to build with the others. It is not an Exception: nothing has gone wrong in a loop."""


@dataclass
class Event:
    """How the group has changed, for messages and for the log.

    Attributes:
        iteration: The iteration in which it happened, counted from 1.
        during: In which part of it.
        lost: Ranks that died, by the numbers that they had.
        left: Ranks that left because they were asked to.
        joined: Ranks of those that came, by the numbers that they have.
        ranks: Size of the group since then.
        seconds: From the error to the repeated part, on this rank.
    """

    iteration: int
    during: str
    lost: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    joined: list[int] = field(default_factory=list)
    ranks: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        said = []
        if self.lost:
            said.append(f"{_ranks(self.lost)} lost")
        if self.left:
            said.append(f"{_ranks(self.left)} left as asked")
        if self.joined:
            said.append(f"{_ranks(self.joined)} joined")
        where = f"in iteration {self.iteration} ({self.during})"
        group = f"{self.ranks} rank{'s' if self.ranks > 1 else ''} go{'' if self.ranks > 1 else 'es'} on"
        return f"renga: {', '.join(said) or 'the group was made again'} {where}; {group} after {self.seconds:.2f} s"


def _ranks(numbers: list[int]) -> str:
    return f"rank{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


class Membership(ABC):
    """A rank of a resilient group: it goes on with the others from one state, whoever dies, leaves or joins.

    Work is a row of attempts. One in which a rank dies is undone and made again by all, in the new group; others are
    made by all, once. Which comes next is the state's `position`.

    Args:
        communicator: The group.

    Attributes:
        communicator: As given.
        position: Name of the part of the work that comes next, or is under way.
        ready: Whether this rank has a place and the state.
    """

    def __init__(self, communicator: ResilientBase) -> None:
        self.communicator = communicator
        self.position = ""
        self.ready = not (communicator.is_spare or communicator.lacks_state)

    # --- what a derived class defines ---------------------------------------------------------------------------------

    @abstractmethod
    def _state(self) -> Any:
        """The whole state, for those who have none. Called on one rank that has it."""

    @abstractmethod
    def _load(self, state: Any) -> None:
        """Take over a state that another rank's `_state` has returned."""

    @abstractmethod
    def _fingerprint(self) -> Any:
        """Something short that is the same on all ranks that have the same state."""

    @abstractmethod
    def _regroup(self) -> None:
        """Adapt to the present rank and size: shares of batches, and what was under way."""

    @abstractmethod
    def _iteration(self) -> int:
        """The number of the iteration under way, from 1."""

    @abstractmethod
    def _settled(self) -> None:
        """All ranks go on now."""

    @abstractmethod
    def _find_private(self) -> None:
        """Find what only ranks hold that are gone. Collective; newcomers have no state yet."""

    @abstractmethod
    def _renew_private(self) -> None:
        """Hold what was found, on all ranks. Collective; a vote follows."""

    @abstractmethod
    def _adopt_private(self) -> None:
        """The vote has held."""

    def _tell(self, event: Event) -> None:
        """Tell people. Called on one rank."""
        if "tqdm" in sys.modules:  # above a progress bar that is on the same terminal
            sys.modules["tqdm"].tqdm.write(str(event), file=sys.stderr)
        else:
            print(event, file=sys.stderr, flush=True)

    # --- attempts -----------------------------------------------------------------------------------------------------

    def attempt(self, begin: Callable[[], Callable[[], None]], work: Callable[[], T]) -> T:
        """Do a part of the work, again and again until no rank dies in it.

        Args:
            begin: Called before each attempt; returns what undoes the attempt.
            work: The work. It ends with the first commit that succeeds, or has not changed anything before that.

        Returns:
            What `work` returned.
        """
        while True:
            undo = begin()
            try:
                return work()
            except RanksLost:
                undo()
                self.recover()

    def enter(self) -> bool:
        """Have a place in the group: at once, or, as a spare, when there is one; with the state.

        Returns:
            Whether this process is needed.
        """
        comm = self.communicator
        if self.ready:
            self._regroup()
            return True
        try:
            if comm.is_spare and comm.join() is None:
                return False
            self._settle(Event(0, ""))
        except RanksLost:
            self.recover()
        comm.lacks_state = False
        return True

    def recover(self) -> None:
        """Go on in a new group after `RanksLost`.

        Raises:
            RengaError: No rank is left that has the state, or fewer than the job needs.
        """
        began = time.perf_counter()
        event = Event(self._iteration(), self.position)
        while True:
            change = self.communicator.recover()
            event.lost += [rank for rank in change.lost if rank not in event.lost]
            event.seconds = time.perf_counter() - began
            try:
                self._settle(event, change, began)
            except RanksLost:
                continue
            return

    def admit(self) -> bool:
        """Take in those that wait and let those go that are to leave. Returns whether this rank stays."""
        began = time.perf_counter()
        change = self.communicator.admit()
        if change is None:
            return False
        self._settle(Event(self._iteration(), "admit", left=list(change.left)), change, began)
        return True

    def _settle(self, event: Event, change: Change | None = None, began: float = 0.0) -> None:
        """Make sure that all have the state, and are at the same place.

        Raises:
            RanksLost: A rank has died meanwhile.
        """
        comm = self.communicator
        self._regroup()
        mine = (self.position, self._fingerprint()) if self.ready else None
        given = comm.allgather_obj(mine)
        if BUILDING in given:
            raise BuildAgain
        having = [rank for rank, each in enumerate(given) if each is not None]
        if not having:
            raise RengaError("all ranks that had the state of the run have died. Next: go on with --resume")
        places = {given[rank] for rank in having}
        if len(places) > 1:
            told = "; ".join(f"rank {rank}: {given[rank][0]}, digest {given[rank][1]}" for rank in having)
            raise RengaError(
                f"the ranks that are left are not in the same state, so they cannot go on together ({told}). "
                "Something communicates after its last commit. Next: go on with --resume"
            )
        self._find_private()
        lacking = [rank for rank, each in enumerate(given) if each is None]
        state = transfer(comm, self._state, having[0], lacking)
        if not self.ready:
            self._load(state)
            self.ready = True
        self._renew_private()
        comm.commit()
        self._adopt_private()
        event.joined = lacking
        event.ranks = comm.size
        if change is not None:
            event.seconds = time.perf_counter() - began
        self._settled()
        if event.during and comm.rank == having[0]:
            self._tell(event)
