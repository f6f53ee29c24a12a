"""A communicator on TCP whose ranks may die; communicators on NCCL use it between hosts."""

from __future__ import annotations

import atexit
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from renga_comm_base.derived import Derived
from renga_comm_base.members import Role
from renga_comm_base.resilience import Change, RanksLost, ResilientHost, TooFew
from renga_comm_nccl.tcp.address import Address, place_of_this_process
from renga_comm_nccl.tcp.communicator import TcpCommunicator
from renga_comm_nccl.tcp.resilient.membership import Membership
from renga_comm_nccl.tcp.resilient.told import Place, is_survivable
from renga_core.communicator import MismatchError
from renga_core.errors import RengaError

__all__ = ["ResilientTcpCommunicator"]


class ResilientTcpGroup(Derived, TcpCommunicator):
    """A group whose calls raise `RanksLost` when a rank of the job has died, until it is made again.

    Args:
        seat: Returns the number that this process keeps in the whole group.
    """

    def __init__(self, seat: Callable[[], int]) -> None:
        Derived.__init__(self)
        self._find_seat = seat
        self._open = False

    def split(self, color: int, key: int) -> Any:
        """See `CommunicatorBase`. A process that joined later gets the groups that others made before, in order."""
        claimed = self._claimed()
        if claimed is not None:
            return claimed
        part, given = self._divided(color, key)
        self._keep(part, given)
        return part

    def finalize(self) -> None:
        self._open = False
        super().finalize()

    @property
    def _seat(self) -> int:
        return self._find_seat()

    def _new_part(self) -> ResilientTcpGroup:
        return ResilientTcpGroup(self._find_seat)

    def _is_open(self) -> bool:
        return self._open

    def _tell_all(self, what: Any) -> list[Any]:
        return self._meet("split", None, what)

    def _connect_part(self, part: ResilientTcpGroup, color: int, key: int) -> None:
        self._divide(part, color, key)

    def _enter(self, address: Address | None, name: str, rank: int, size: int) -> None:
        self._open = True
        super()._enter(address, name, rank, size)

    def _break_up(self) -> None:
        """Close the connections of this group and of its parts."""
        self._leave()
        for part in self._parts:
            part._break_up()


class ResilientTcpCommunicator(ResilientTcpGroup, ResilientHost):
    """All ranks of a job that ``renga launch`` started with a resilient communicator; see `ResilientBase`.

    Each process makes it once. A process that was started alone is a group of one. SIGTERM asks a rank to leave, unless
    the program handles it. `finalize` waits until all ranks have called it, or have died.

    Raises:
        RengaError: The ranks were not started in that way, or this process has made one already.
    """

    _exists = False

    def __init__(self) -> None:
        super().__init__(lambda: self._place.seat)
        self._place = _ALONE
        self._asked = self._over = self._has_state = self._is_spare = False
        self._there = place_of_this_process()
        self._membership: Membership | None = None
        if self._there is None:
            self._be_alone()
            return
        _check(self._there)
        ResilientTcpCommunicator._exists = True
        self._membership = Membership(self._there)
        atexit.register(self._at_exit)
        in_main_thread = threading.current_thread() is threading.main_thread()
        if in_main_thread and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, lambda number, frame: self.ask_to_leave())
        self._is_spare = self._there.rank >= self._there.size
        self._has_state = not self._is_spare
        if self._is_spare:
            self._be_alone()
        else:
            self._settle(Role.ACTIVE)

    # --- who is in the group ------------------------------------------------------------------------------------------

    @property
    def is_spare(self) -> bool:  # noqa: D102
        return self._is_spare

    def join(self) -> Change | None:  # noqa: D102
        return self._settle(Role.WAITING) if self._is_spare else None

    def commit(self) -> bool:  # noqa: D102
        changes = any(self._meet("commit", None, self._wants_change()))
        self._has_state = True
        return changes

    def recover(self) -> Change:  # noqa: D102
        change = self._settle(Role.ACTIVE)
        if change is None:
            raise TooFew("the job has ended meanwhile. Next: resume from its last snapshot")
        return change

    def admit(self) -> Change | None:  # noqa: D102
        self._meet("admit", None)
        return self._settle(Role.LEAVING if self._asked else Role.ACTIVE)

    def ask_to_leave(self) -> None:  # noqa: D102
        self._asked = True

    def loss(self) -> str:  # noqa: D102
        return "" if self._membership is None else self._membership.loss()

    def revoke(self, why: str) -> None:  # noqa: D102
        if self._membership is not None:
            self._membership.revoke(why)

    def finalize(self) -> None:  # noqa: D102
        if self._over:
            return
        if not self._is_spare:
            try:
                self._meet("the end of its program", None)
            except (RanksLost, MismatchError):
                self._settle(Role.ENDED)
        self._over = True
        super().finalize()
        if self._membership is not None:
            self._membership.end()

    def _wants_change(self) -> bool:
        """Whether this rank wants to leave, or knows a process that can take a vacant place."""
        place = self._place
        there = self._membership
        vacant = there is not None and place.size < there.total
        comes = there is not None and any(splits <= len(self._given) for splits in there.waiting)
        return (vacant and comes) or (self._asked and not place.stays)

    def _settle(self, role: Role) -> Change | None:
        """Meet all processes that are alive, and make the next group; None if this process is not in it."""
        began = time.monotonic()
        change: Change | None = None
        while True:
            self._break_up()
            place = None if self._membership is None else self._asked_for(role)
            if place is None:
                self._be_alone()
                self._over = self._over or role in (Role.LEAVING, Role.ENDED)
                return None
            joins, self._is_spare, role = self._is_spare, False, Role.ACTIVE
            self._place = place
            change = place.change if change is None else change.then(place.change)
            try:
                self._part_of = (place.epoch, self._there.rank) if self._there is not None else None
                self._enter(self._there, f"epoch{place.epoch}", place.rank, place.size)
                self._make_parts_again(joins)
            except RanksLost:
                continue
            return replace(change, seconds=time.monotonic() - began)

    def _asked_for(self, role: Role) -> Place | None:
        assert self._membership is not None
        try:
            return self._membership.settle(role, len(self._given), self._has_state)
        except TooFew:
            self._parts, self._given = [], []
            self._be_alone()
            raise

    def _be_alone(self) -> None:
        """Be a group of one, which has no place in another."""
        self._place, self._part_of = _ALONE, None
        self._enter(None, "alone", 0, 1)
        self._make_parts_again(joins=False)

    def _at_exit(self) -> None:
        """End the part of a program that has come to its end. After an error, the others must see that it has died."""
        if getattr(sys, "last_type", None) is None:
            self.finalize()


_ALONE = Place(0, 0, 1, 0, Change((0,)), (), 1, False)


def _check(there: Address) -> None:
    """Raise RengaError unless the ranks of this process's job may die."""
    if not is_survivable():
        raise RengaError(
            f"these {there.size} ranks were started without fault tolerance. "
            "Next: renga launch -n RANKS --communicator resilient_nccl PROGRAM"
        )
    if ResilientTcpCommunicator._exists:
        raise RengaError("this process has made a resilient communicator already. Next: use that one, or split it")
