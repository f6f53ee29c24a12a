"""All processes of a job whose ranks may die, and who of them is in the group. The store calls it, in its thread.

Each group has a number, its epoch. When a rank dies, the epoch is lost: all calls in it end with an error. The ranks
that are alive ask to settle. When all have asked, they get a new group, together with processes that wait for a place.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from renga_comm_base.members import Arrangement, Member, Role, arrange
from renga_comm_base.places import Places
from renga_comm_nccl.tcp.resilient.told import EXPELLED, FEW, GROUP, LOST, OUT, WAITING, Place

__all__ = ["Job", "Policy"]


class Policy(NamedTuple):
    """What happens when ranks die; see `renga launch --help`.

    Attributes:
        ranks: Number of ranks.
        spares: Number of processes that wait to replace a dead rank.
        least: The job ends with fewer ranks than this.
        respawn: Number of processes that may be started to replace dead ranks.
        waits: Ranks wait for such a process.
        most: Largest number of ranks after requests for more; 0: no requests.
    """

    ranks: int
    spares: int = 0
    least: int = 1
    respawn: int = 0
    waits: bool = False
    most: int = 0


@dataclass
class _Process:
    """A process that is alive.

    Attributes:
        number: Number with which it was started.
        late: It is started when others run already, and others need not wait for it.
        client: Its connection; None before it has made the communicator.
        asks: It has asked to settle, and waits for the answer.
    """

    number: int
    role: Role = Role.STARTING
    place: int | None = None
    seat: int | None = None
    has_state: bool = False
    splits: int = 0
    home: tuple[str, int] = ("", 0)
    late: bool = False
    grows: bool = False
    client: Any = None
    asks: bool = False


class Job:
    """Decides who is in the group.

    Args:
        policy: What happens when ranks die.
        timeout: Time in seconds in which all ranks must ask to settle, after the first one has; 0: no limit.
        start: Called with the number of a process that the launcher must start.
        kill: Called with the number of a process that is taken for dead.

    Attributes:
        epoch: Number of the present group; 0 before the first one.
        timeout: See above; ranks that come change it to theirs.
        unneeded: Numbers of processes that have ended without a place.
    """

    def __init__(
        self, policy: Policy, timeout: float, start: Callable[[int], None], kill: Callable[[int], None]
    ) -> None:
        self.epoch = 0
        self.unneeded: set[int] = set()
        self._policy, self.timeout, self._start, self._kill = policy, timeout, start, kill
        self._places = Places(policy.ranks)
        self._respawn = policy.respawn
        self._next = policy.ranks + policy.spares
        self._processes = {i: _Process(i, Role.ACTIVE, i, i, True) for i in range(policy.ranks)}
        self._processes |= {i: _Process(i) for i in range(policy.ranks, self._next)}
        self._size = policy.ranks
        self._lost = ""
        self._over = self._ends = False
        self._since = 0.0
        self._tell: Callable[[Any, str, Any], None] = lambda client, kind, content: None
        self._revoke: Callable[[int, str], None] = lambda epoch, why: None

    def attach(self, tell: Callable[[Any, str, Any], None], revoke: Callable[[int, str], None]) -> None:
        """Set how to send a message to a client, and how to end all calls in the groups of an epoch."""
        self._tell, self._revoke = tell, revoke

    def why_lost(self, epoch: int) -> str:
        """Return why calls in an epoch must fail; "" if they need not."""
        return self._lost if epoch == self.epoch else "the group has changed"

    # --- requests of processes ----------------------------------------------------------------------------------------

    def do_enroll(self, client: Any, number: int, home: tuple[str, int]) -> None:
        """A process has made its communicator."""
        client.number = number
        if number not in self._processes:
            self._tell(client, EXPELLED, "it was taken for dead")
            return
        process = self._processes[number]
        process.client, process.home = client, home

    def do_settle(self, client: Any, role: int, splits: int, has_state: bool) -> None:
        """A process asks for a place in the next group, or, by its role, to be left out of it."""
        process = self._processes.get(client.number)
        if process is None or self._over:
            self._tell(client, OUT, None)
            return
        if not any(one.asks for one in self._ranks()):
            self._since = time.monotonic()
        process.role, process.splits, process.asks = Role(role), splits, True
        process.has_state = process.has_state or has_state
        self._settle()
        if process.asks and process.role == Role.WAITING and self.epoch and not self._lost:
            for one in self._ranks():
                self._tell(one.client, WAITING, (splits, self._places.total))

    def do_end(self, client: Any) -> None:
        """A process has come to the end of its program."""
        process = self._processes.pop(client.number, None)
        if process is None:
            return
        if process.place is None:
            self.unneeded.add(process.number)
        else:
            self._ends = True
        self._settle()

    def do_revoke(self, client: Any, epoch: int, why: str) -> None:
        """A rank has found that its group cannot continue."""
        if epoch == self.epoch:
            self.lose(why)

    # --- news of the launcher and the store ---------------------------------------------------------------------------

    def died(self, number: int, how: str = "has died") -> None:
        """A process has died, or has ended in another way than by `do_end`."""
        process = self._processes.pop(number, None)
        if process is None:
            return
        if process.place is not None and self.epoch:
            self.lose(f"rank {process.place} ({process.home[0]}, process {process.home[1]}) {how}")
        self._replace()
        self._settle()

    def expel(self, number: int, how: str) -> None:
        """Take a process for dead that does not answer, and kill it."""
        process = self._processes.get(number)
        if process is not None and process.client is not None:
            self._tell(process.client, EXPELLED, how)
        self._kill(number)
        self.died(number, f"{how}, and was killed")

    def request(self) -> None:
        """Add a rank, if there may be more."""
        before = self._places.total
        self._places = self._places.with_requests(self._places.heeded + 1, self._policy.most)
        if self._places.total > before:
            self._begin(grows=True)

    def look(self) -> None:
        """Expel ranks that have not asked to settle in time. Before the first group, programs may start slowly."""
        asks = any(one.asks for one in self._ranks())
        if not (self.timeout and self.epoch and asks) or time.monotonic() - self._since < self.timeout:
            return
        late = [one.number for one in self._ranks() if not one.asks]  # now: then the others form a group
        for number in late:
            self.expel(number, f"has not come to recover in {self.timeout:g} s")

    # --- the group ----------------------------------------------------------------------------------------------------

    def _ranks(self) -> list[_Process]:
        return [one for one in self._processes.values() if one.place is not None]

    def lose(self, why: str) -> None:
        """End all calls in the present group: its ranks must recover."""
        if self._lost:
            return
        self._lost = why
        self._revoke(self.epoch, why)
        for one in self._ranks():
            if one.client is not None:
                self._tell(one.client, LOST, (self.epoch, why))

    def _settle(self) -> None:
        """Form the next group, if all that can be in it have asked."""
        ranks = self._ranks()
        if self._over or not all(one.asks for one in ranks):
            return
        # Who waits joins the first group at its first boundary, when ranks expect newcomers.
        there = [one for one in self._processes.values() if one.asks and (self.epoch or one.place is not None)]
        members = [self._member(one) for one in there]
        policy = self._policy
        new = arrange(members, self._places.total, shrinks=policy.most > 0)
        if new is None:
            if not any(one.place is not None and one.role != Role.ENDED for one in ranks):
                self._end()
            return
        starting = [one for one in self._processes.values() if one.role == Role.STARTING]
        awaited = any(policy.waits or not one.late for one in starting if not one.grows)
        if self.epoch and awaited and len(new.order) < self._places.total:
            return
        if lack := new.lack(policy.least):
            for one in there:
                self._tell(one.client, FEW if one.place is not None else OUT, lack)
            self._over = True
            return
        if policy.most:
            growing = sum(one.grows for one in starting)
            others = len(starting) - growing + len(new.waiting) + self._respawn
            self._places = self._places.with_ranks(len(new.order), len(new.change.left), growing, others)
        self._form(there, new)
        self._replace()

    def _form(self, there: list[_Process], new: Arrangement) -> None:
        self.epoch, self._lost, self._size = self.epoch + 1, "", len(new.order)
        for one in there:
            one.place = one.seat = None
        for rank, i in enumerate(new.order):
            one, seat = there[i], new.seats[rank]
            stays = one.role == Role.LEAVING and not new.change.newcomers
            one.place, one.seat, one.role, one.asks = rank, seat, Role.ACTIVE, False
            where = (self.epoch, rank, self._size, seat)
            self._tell(one.client, GROUP, Place(*where, new.change, new.waiting, self._places.total, stays))
        for one in there:
            if one.place is None and one.role in (Role.LEAVING, Role.ENDED):
                self.unneeded |= {one.number} if one.role == Role.LEAVING else set()
                del self._processes[one.number]
                self._tell(one.client, OUT, None)

    def _end(self) -> None:
        """Tell all processes that nobody needs them; those that ask later, too."""
        self._over = True
        for one in (one for one in self._processes.values() if one.asks):
            if one.place is None or one.role == Role.LEAVING:
                self.unneeded.add(one.number)
            self._tell(one.client, OUT, None)

    def _member(self, one: _Process) -> Member:
        what = one.role, one.place, one.seat, self._size, one.has_state, one.home
        return Member(*what, one.splits, one.grows, self._places)

    def _replace(self) -> None:
        """Start processes for vacant places, if there may be more."""
        there = sum(one.role != Role.ENDED for one in self._processes.values())
        while not (self._over or self._ends) and self._respawn and there < self._places.total:
            self._respawn -= 1
            there += 1
            self._begin()

    def _begin(self, grows: bool = False) -> None:
        self._processes[self._next] = _Process(self._next, late=True, grows=grows)
        self._start(self._next)
        self._next += 1
