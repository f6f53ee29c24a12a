"""All processes of a job; they agree on who is in the group."""

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
"""Time in seconds between news of a death and the creation of communicators."""
_LOOK = 0.002
"""Time in seconds between two checks of a process that waits for a place."""
_LISTEN = 0.2
"""Time in seconds between two checks for requests."""
_READY, _OVER = 1, 2
"""Messages: a new process tells rank 0 that it waits for a place; waiting processes are told that the job is over."""


class Membership:
    """This process, as a member of its job.

    Args:
        told: Settings of the job.

    Attributes:
        role: Role of this process.
        place: Its rank in the group; None if it has none.
        seat: See `Member`.
        size: Number of ranks of the group; 0 for a process that has never been in it.
        has_state: Whether it has the state of the run.
        homes: For each rank of the group, its host and process.
        splits, places: See `Member`.
        members: All processes that were alive when the group was made, in the order of the root.
        stays: It must leave, but stays until another process has the state.
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
        """The ranks of the root that are in the group."""
        self._has_come = False
        if not dormant:
            tell(told, begins=True)

    def settle(self, family: Family | None = None, remake: Remake | None = None) -> Change | None:
        """Agree with all processes that are alive on a new group, and make it. All of them call this.

        Args:
            family: Gets the MPI communicators of the new group. None on processes that cannot be in it.
            remake: Makes the parts of the new group from its MPI communicators. Called on the ranks of the new group,
                and again if one of them dies meanwhile.

        Returns:
            The change of the group; None for a process that is not in it.

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
        """Whether a place is vacant, and a waiting process could take it after this number of splits."""
        return self.size < self.places.total and any(one <= splits for one in self._waiting)

    @property
    def is_dormant(self) -> bool:
        """Whether it has not been called yet."""
        return self.role == Role.DORMANT

    @property
    def awaits(self) -> bool:
        """Whether processes that were called have not come yet."""
        return any(member.role == Role.STARTING for member in self.members)

    def has_come(self) -> bool:
        """Whether a process that was called is ready, or has died. Rank 0 of the group calls this."""
        if self.awaits and not self._has_come:
            try:
                self._has_come = bool(self._root.Iprobe(MPI.ANY_SOURCE, _READY))
            except MPI.Exception:
                self._has_come = True
        return self._has_come

    def arrive(self) -> None:
        """Wait for a place, after this process was called."""
        self.role = Role.WAITING
        with suppress(MPI.Exception):  # where this fails, all meet anyway
            self._root.send(b"", self._active[0], _READY)

    def end(self) -> None:
        """Let this process and all waiting ones end. All ranks call this, after a vote that all have ended.

        It makes no communicator, because Open MPI 5.0 does not always survive a death meanwhile (`_collect_news`).
        """
        self.role, self.over = Role.ENDED, True
        for rank in set(range(self._root.size)) - set(self._active):
            with suppress(MPI.Exception):
                self._root.send(b"", rank, _OVER)

    def wait(self, look: float = _LOOK) -> bool:
        """Wait without using the processor until others call `settle`; False: nobody needs this process any more.

        Args:
            look: Time in seconds between two checks.
        """
        while not self.over:
            if self.hears_change():
                return True
            time.sleep(look)
        return False

    def hears_change(self) -> bool:
        """Whether others have called `settle`. If all ranks of the group have died, this process is `over`."""
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
        """Whether there is a request for another rank. Files are not read in each iteration."""
        if self._told.most and time.monotonic() - self._listened_at > _LISTEN:
            self._listened_at, self._requests = time.monotonic(), requests(self._told.folder)
        return self._requests > self.places.heeded

    def _shrink(self) -> None:
        """Make a root of the processes that are alive."""
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
        """Let MPI learn of other processes that have died at the same time.

        Open MPI 5.0 may crash if it learns of a death while it makes a communicator (``ompi_comm_set_rank_failed``).
        """
        until = time.monotonic() + _NEWS
        while self._root.size > 1 and time.monotonic() < until:
            with suppress(MPI.Exception):
                self._root.Iprobe(MPI.ANY_SOURCE)
            time.sleep(_NEWS / 10)

    def _member(self) -> Member:
        """Return the description of this process."""
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
        """Whether the result is good on all processes. If it is not, the family is ended."""
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
        """Take the role and place of the plan."""
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
    """Free an old root. While other processes have it, the end of a rank that has left disturbs them."""
    if root not in (MPI.COMM_WORLD, MPI.COMM_SELF):
        root.Free()
