"""All processes of a job, and how they agree on who is in the group."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from renga_comm_base.members import Arrangement, Member, Role
from renga_comm_base.places import Places
from renga_comm_base.resilience import Change, RanksLost, TooFew
from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.resilient.awakening import tell
from renga_comm_mpi.resilient.family import Family, tells_of_loss
from renga_comm_mpi.resilient.plan import Plan, begin
from renga_comm_mpi.resilient.told import Told, requests

__all__ = ["Membership", "Remake"]

Remake = Callable[[Arrangement, list[MPI.Comm]], None]

_NEWS = 0.01
"""Seconds between the news of a death and the making of communicators."""
_LOOK = 0.002
"""Seconds between two looks of a process that waits for a place."""
_LISTEN = 0.2
"""Seconds between two looks for requests."""
_READY, _OVER = 1, 2
"""Messages: to rank 0 of the group, that a new process waits for a place; to all that wait, that the job is over."""


class Membership:
    """This process among all of its job.

    Args:
        told: How the job was started.

    Attributes:
        role: What this process is.
        place: Its rank in the group; None if it has none.
        seat: As in `Member`.
        size: How many ranks the group has; 0 for who has never been in it.
        has_state: It has committed since it joined, or was there from the start.
        homes: Of each rank of the group its host and process.
        splits, places: As in `Member`.
        members: All that were alive when the group was made, in the order of the root.
        stays: It is to leave, and others take in somebody first.
        over: Nobody needs this process any more.
    """

    def __init__(self, told: Told) -> None:
        world = MPI.COMM_WORLD
        founder, dormant = world.rank < told.ranks, world.rank >= told.first_dormant
        self.role = Role.ACTIVE if founder else Role.DORMANT if dormant else Role.WAITING
        self.place = self.seat = world.rank if founder else None
        self.size = told.ranks if founder else 0
        self.has_state = founder
        self.homes: tuple[tuple[str, int], ...] = ()
        self.members: list[Member] = []
        self.splits = 0
        self.places = Places(told.ranks)
        self._requests, self._listened_at = 0, 0.0
        self.over = self.stays = False
        self._waiting: tuple[int, ...] = ()
        self._told = told
        self._root: MPI.Comm = world
        self._active = tuple(range(told.ranks))
        """Which ranks of the root are in the group."""
        self._has_come = False
        if not dormant:
            tell(told, begins=True)

    def settle(self, family: Family | None = None, remake: Remake | None = None) -> Change | None:
        """Agree with all processes that are alive on a new group, and make it. All of them call.

        Args:
            family: The MPI communicators of the new group; empty. None on processes that cannot be in it.
            remake: Given the new group and its first MPI communicators, it makes what is derived from them. Called on
                the ranks of the new group, and again if one of them dies meanwhile.

        Returns:
            How the group has changed; None for who is not in it.

        Raises:
            TooFew: Fewer ranks are left than the job needs.
        """
        started_at = time.monotonic()
        family = Family() if family is None else family
        while True:
            self._shrink()
            plan = begin(self._root, self._member(), self._told)
            if not self._agree(plan is not None, family) or plan is None:
                continue
            if plan.arrangement is None or (lack := plan.arrangement.lack(self._told.least)):
                self.over = True
                if plan.arrangement is not None and self.role == Role.ACTIVE:
                    raise TooFew(lack)
                return None
            if not self._agree(self._is_made(plan, family, remake), family):
                continue
            return self._enter(plan, plan.arrangement, time.monotonic() - started_at)

    def may_grow(self, splits: int) -> bool:
        """Whether a place is vacant, and somebody waits who could take it now that so many groups have been made."""
        return self.size < self.places.total and any(one <= splits for one in self._waiting)

    @property
    def is_dormant(self) -> bool:
        """Whether it has not been called."""
        return self.role == Role.DORMANT

    @property
    def awaits(self) -> bool:
        """Whether processes that were called have not come yet."""
        return any(member.role == Role.STARTING for member in self.members)

    def has_come(self) -> bool:
        """Whether a process that was called is ready, or has died. Asked by rank 0 of the group."""
        if self.awaits and not self._has_come:
            try:
                self._has_come = bool(self._root.Iprobe(MPI.ANY_SOURCE, _READY))
            except MPI.Exception:
                self._has_come = True
        return self._has_come

    def arrive(self) -> None:
        """Start to wait for a place, after having been called."""
        self.role = Role.WAITING
        with suppress(MPI.Exception):  # where this fails, all meet anyway
            self._root.send(b"", self._active[0], _READY)

    def end(self) -> None:
        """Let this and all processes that wait end. Called by all of the group, after a vote that all have ended.

        That makes no communicator, in which Open MPI 5.0 does not always survive a death (`_collect_news`).
        """
        self.role, self.over = Role.ENDED, True
        for rank in set(range(self._root.size)) - set(self._active):
            with suppress(MPI.Exception):
                self._root.send(b"", rank, _OVER)

    def wait(self, look: float = _LOOK) -> bool:
        """Wait, without using the processor, until others call `settle`; False: nobody needs this process any more.

        Args:
            look: Seconds between two looks.
        """
        while not self.over:
            if self.hears_change():
                return True
            time.sleep(look)
        return False

    def hears_change(self) -> bool:
        """Whether others have called `settle`. If all of the group have died, this one is `over`."""
        try:
            self.over = bool(self._root.Iprobe(MPI.ANY_SOURCE, _OVER))
        except MPI.Exception:
            if self._root.Is_revoked():
                return True
            failed = self._root.Get_failed()
            ranks = MPI.Group.Translate_ranks(failed, None, self._root.Get_group())
            self.over = set(self._active) <= set(ranks)
            self._root.Ack_failed()
        return False

    def hears_request(self) -> bool:
        """Whether one more rank is asked for. Files are not read in each iteration."""
        if self._told.most and time.monotonic() - self._listened_at > _LISTEN:
            self._listened_at, self._requests = time.monotonic(), requests(self._told.folder)
        return self._requests > self.places.heeded

    def _shrink(self) -> None:
        """Make a root of those that are alive."""
        old = self._root
        if old.size > 1 and old != MPI.COMM_WORLD and not old.Is_revoked():
            old.Revoke()
        while True:
            try:
                self._root = old.Shrink()
            except MPI.Exception as error:
                if not tells_of_loss(error, [old]):
                    raise
            else:
                break
        self._root.Set_errhandler(MPI.ERRORS_RETURN)
        self._collect_news()
        _free(old)

    def _collect_news(self) -> None:
        """Let MPI hear of others that have died at the same time.

        Open MPI 5.0 may end a process that hears of it while it makes a communicator (a segmentation fault in
        ``ompi_comm_set_rank_failed``).
        """
        until = time.monotonic() + _NEWS
        while self._root.size > 1 and time.monotonic() < until:
            with suppress(MPI.Exception):
                self._root.Iprobe(MPI.ANY_SOURCE)
            time.sleep(_NEWS / 10)

    def _member(self) -> Member:
        """What this process tells of itself."""
        what = self.role, self.place, self.seat, self.size, self.has_state
        home = socket.gethostname(), os.getpid()
        grows = MPI.COMM_WORLD.rank >= self._told.first_growing
        return Member(*what, home, self.splits, grows, self.places, self._requests)

    def _is_made(self, plan: Plan, family: Family, remake: Remake | None) -> bool:
        if plan.comms[0] == MPI.COMM_NULL:
            return True
        assert plan.arrangement is not None
        assert remake is not None, "who cannot be in the group has no place in it"
        family.adopt(plan.comms)
        self.homes = tuple(plan.members[i].home for i in plan.arrangement.order)
        try:
            remake(plan.arrangement, plan.comms)
        except Exception as error:
            if not (isinstance(error, RanksLost) or tells_of_loss(error, plan.comms)):
                raise
            return False
        return True

    def _agree(self, good: bool, family: Family) -> bool:
        """Whether it is good on all processes; if it is not, nothing is left in the family."""
        if good:
            with suppress(MPI.Exception):
                if self._root.size == 1 or self._root.Agree(1) == 1:
                    return True
            family.end()
        else:
            self._root.Revoke()
            family.end(also=self._root)
        return False

    def _enter(self, plan: Plan, new: Arrangement, seconds: float) -> Change | None:
        """Be what the plan says."""
        root, rank, self.places = self._root, self._root.rank, plan.places
        self.members = list(plan.members)
        for i in plan.called:
            self.members[i] = plan.members[i]._replace(role=Role.STARTING)
        self._has_come, is_in = False, rank in new.order
        if not is_in and self.role == Role.LEAVING:
            self._root, self.role, self.place, self.over = MPI.COMM_SELF, Role.ENDED, None, True
            _free(root)
            return None
        self._active = tuple(MPI.Group.Translate_ranks(root.Get_group(), new.order, plan.staying.Get_group()))
        if plan.staying != root:
            self._root = plan.staying
            self._root.Set_errhandler(MPI.ERRORS_RETURN)
            _free(root)
        if not is_in:
            self.role, self.place, self.size = self.members[rank].role, None, 0
            return None
        self._waiting = new.waiting
        self.stays = self.role == Role.LEAVING and not new.change.newcomers
        self.role, self.place, self.size = Role.ACTIVE, new.order.index(rank), len(new.order)
        self.seat = new.seats[self.place]
        return replace(new.change, seconds=seconds)


def _free(root: MPI.Comm) -> None:
    """Free what was the root. While others have it, the end of a rank that has left disturbs them."""
    if root not in (MPI.COMM_WORLD, MPI.COMM_SELF):
        root.Free()
