"""Bring all ranks of a group to the same state after a change of the group."""

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
"""The answer to a newcomer's request for the state from ranks that are still building the run."""


class BuildAgain(BaseException):
    """Tells `build_and_run` to build with the others. Not an Exception, so that loops do not catch it."""


@dataclass
class Event:
    """How the group has changed, for messages and for the log.

    Attributes:
        iteration: The iteration in which it happened, counted from 1.
        during: The part of the iteration.
        lost: Old numbers of ranks that died.
        left: Ranks that left on request.
        joined: New numbers of ranks that joined.
        ranks: Size of the new group.
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
    """A rank of a resilient group, which continues from a common state when ranks die, leave or join.

    Work is a sequence of attempts. If a rank dies in an attempt, all ranks undo and repeat it in the new group; other
    attempts are made once. The state's `position` tells which attempt comes next.

    Args:
        communicator: The group.

    Attributes:
        communicator: As given.
        position: Name of the current or next part of the work.
        ready: Whether this rank has a place and the state.
    """

    def __init__(self, communicator: ResilientBase) -> None:
        self.communicator = communicator
        self.position = ""
        self.ready = not (communicator.is_spare or communicator.lacks_state)

    # --- what a derived class defines ---------------------------------------------------------------------------------

    @abstractmethod
    def _state(self) -> Any:
        """Return the whole state, for newcomers. Called on one rank."""

    @abstractmethod
    def _load(self, state: Any) -> None:
        """Set the state from the result of another rank's `_state`."""

    @abstractmethod
    def _fingerprint(self) -> Any:
        """Return a short digest of the state."""

    @abstractmethod
    def _regroup(self) -> None:
        """Adapt to the current rank and size: shares of batches, and unfinished work."""

    @abstractmethod
    def _iteration(self) -> int:
        """Return the number of the current iteration, from 1."""

    @abstractmethod
    def _settled(self) -> None:
        """Called when all ranks continue."""

    @abstractmethod
    def _find_private(self) -> None:
        """Find state that only lost ranks held. Collective; newcomers have no state yet."""

    @abstractmethod
    def _renew_private(self) -> None:
        """Take the found state, on all ranks. Collective; a vote follows."""

    @abstractmethod
    def _adopt_private(self) -> None:
        """Called after a successful vote."""

    def _tell(self, event: Event) -> None:
        """Report the change. Called on one rank."""
        if "tqdm" in sys.modules:  # above a progress bar that is on the same terminal
            sys.modules["tqdm"].tqdm.write(str(event), file=sys.stderr)
        else:
            print(event, file=sys.stderr, flush=True)

    # --- attempts -----------------------------------------------------------------------------------------------------

    def attempt(self, begin: Callable[[], Callable[[], None]], work: Callable[[], T]) -> T:
        """Do a part of the work, and repeat it until no rank dies in it.

        Args:
            begin: Called before each attempt; returns a function that undoes the attempt.
            work: The work. It ends with its first successful commit, or changes nothing before it.

        Returns:
            The result of `work`.
        """
        while True:
            undo = begin()
            try:
                return work()
            except Exception as error:
                if not (isinstance(error, RanksLost) or self.communicator.is_lost):
                    raise
                undo()
                self.recover()

    def enter(self) -> bool:
        """Wait for a place in the group and the state; only spares have to wait.

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
        """Continue in a new group after `RanksLost`.

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
        """Let waiting processes join and leaving ranks go. Returns whether this rank stays."""
        began = time.perf_counter()
        change = self.communicator.admit()
        if change is None:
            return False
        self._settle(Event(self._iteration(), "admit", left=list(change.left)), change, began)
        return True

    def _settle(self, event: Event, change: Change | None = None, began: float = 0.0) -> None:
        """Check that all ranks have the same state and position.

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
