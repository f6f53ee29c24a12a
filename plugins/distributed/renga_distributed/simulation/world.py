"""The simulated job: members of the group, waiting processes, and faults."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any, NoReturn

from renga_comm_base.resilience import Change, RanksLost
from renga_core.communicator import RankFailed
from renga_core.errors import RengaError
from renga_distributed.simulation.faults import Died, Fault
from renga_distributed.simulation.scheduler import Scheduler

__all__ = ["SimulatedGroup", "World"]


class World:
    """The shared state of simulated processes.

    Args:
        scheduler: Runs them.
        ranks: Number of ranks in the group at first.
        faults: The faults.
        replace: Whether waiting processes replace dead ones. Otherwise the group gets smaller.
        minimum: With fewer survivors the job ends with an error.

    Attributes:
        group: The present group.
        points: Number of communication points of each process so far.
        deaths: Dead processes, in order, with the point of the death.
        growing: Processes that enlarge the group, and do not only replace others.
    """

    def __init__(
        self, scheduler: Scheduler, ranks: int, faults: Sequence[Fault], replace: bool = True, minimum: int = 1
    ) -> None:
        self.scheduler = scheduler
        self.group = SimulatedGroup(self, list(range(ranks)))
        self.points: defaultdict[int, int] = defaultdict(int)
        self.deaths: list[str] = []
        self.finished: set[int] = set()
        self.growing: set[int] = set()
        self.waiting: list[int] = []
        self.changes: dict[int, Change] = {}
        self.leaving: set[int] = set()
        self._dead: set[int] = set()
        self._replace = replace
        self._minimum = minimum
        self._faults: defaultdict[tuple[int, str], dict[int, str]] = defaultdict(dict)
        for fault in faults:
            self._faults[fault.process, fault.since][fault.at] = fault.kind
        self._since_recovery: defaultdict[int, int] | None = None
        self._recovering: set[int] = set()

    # --- faults -------------------------------------------------------------------------------------------------------

    def is_dead(self, process: int) -> bool:
        """Whether it has died."""
        return process in self._dead

    def point(self, process: int, where: str) -> None:
        """A communication point of a process: it may die or be requested to leave, and others may continue.

        Raises:
            Died: It dies here.
        """
        if process in self._dead:
            raise Died  # called in a `finally` block of a dead process
        happening = [self._faults[process, "start"].get(self.points[process])]
        self.points[process] += 1
        if self._since_recovery is not None:
            happening.append(self._faults[process, "recovery"].get(self._since_recovery[process]))
            self._since_recovery[process] += 1
        if "leave" in happening:
            self.leaving.add(process)
        if "die" in happening:
            self.die(process, where)
        # At points that others hardly notice, an occasional switch is enough.
        if where.startswith("before") or self.scheduler.rng.random() < 0.2:
            self.scheduler.pause()

    def die(self, process: int, where: str) -> NoReturn:
        """A process dies. Raises Died."""
        self.deaths.append(f"process {process} {where} (its point {self.points[process] - 1})")
        self._dead.add(process)
        self.scheduler.wake()
        raise Died

    # --- changes of the group -----------------------------------------------------------------------------------------

    def recover(self, process: int) -> Change:
        """See `ResilientBase`; afterwards `group` is the new group."""
        if self._since_recovery is None:
            self._since_recovery = defaultdict(int)
        self.point(process, "before recover")
        old = self.group
        old.revoke()
        self._recovering.add(process)
        while self.group is old:
            survivors = [member for member in old.members if member not in self._dead]
            if gone := [member for member in survivors if member in self.finished]:
                raise RankFailed(f"process {gone[0]} has ended its program, but others recover")
            if len(survivors) < self._minimum:
                raise RengaError(f"{len(survivors)} ranks are left, but {self._minimum} are needed")
            if self._recovering.issuperset(survivors):
                self._form(survivors, [m for m in old.members if m in self._dead] if self._replace else [], ())
            else:
                self.scheduler.wait()
        change = self.changes[process]
        self.point(process, "after recover")
        return change

    def join(self, process: int) -> Change | None:
        """As of `ResilientBase`."""
        self.point(process, "before join")
        self.waiting.append(process)
        while process not in self.group.members:
            if self.finished.issuperset(m for m in self.group.members if m not in self._dead):
                return None
            self.scheduler.wait()
        self.point(process, "after join")
        return self.changes[process]

    @property
    def is_to_change(self) -> bool:
        """Whether a process waits to be added, or should leave."""
        return any(self._may_be_added()) or any(member in self.leaving for member in self.group.members)

    def change(self) -> None:
        """Add waiting processes, and let leaving ones go."""
        leaving = [member for member in self.group.members if member in self.leaving]
        if len(leaving) == len(self.group.members):
            leaving = []  # at least one process must keep the state
        staying = [member for member in self.group.members if member not in leaving]
        self._form(staying, [], self._may_be_added(), leaving)

    def finish(self, process: int) -> None:
        """Record that a process has ended its program."""
        self.finished.add(process)
        self.scheduler.wake()

    def _may_be_added(self) -> list[int]:
        return [process for process in self.waiting if process in self.growing and process not in self._dead]

    def _form(self, staying: list[int], places: list[int], added: Sequence[int], left: Sequence[int] = ()) -> None:
        """Make the next group: waiting processes take `places`, and added ones are the first or the last."""
        old = self.group.members
        waiting = [process for process in self.waiting if process not in self._dead]
        substitutes = dict(zip(places, waiting, strict=False))
        members = [substitutes.get(member, member) for member in old if member in staying or member in substitutes]
        members = [*added, *members] if added and self.scheduler.rng.random() < 0.5 else [*members, *added]
        self.waiting = [process for process in waiting if process not in members]
        previous = tuple(old.index(member) if member in old else None for member in members)
        lost = tuple(rank for rank, member in enumerate(old) if member in self._dead)
        change = Change(previous, lost, tuple(old.index(member) for member in left))
        for member in [*members, *left]:
            self.changes[member] = change
        self._recovering = set()
        self.group = SimulatedGroup(self, members)
        self.scheduler.wake()


class _Round:
    """One collective of a group.

    Attributes:
        given: Objects of the members, by rank.
        done: Whether all members have passed an object.
        verdict: For a vote: whether it succeeded, once this is decided; the same for all.
        wanted: For a vote: whether the group should change.
    """

    def __init__(self) -> None:
        self.given: dict[int, Any] = {}
        self.done = False
        self.verdict: bool | None = None
        self.wanted = False


class SimulatedGroup:
    """The ranks of one simulated communicator; corresponds to `renga_distributed.rendezvous.Group` for threads.

    A collective fails on a rank if another member died before it passed its part, or after any rank had such an error
    (the group is revoked). If a member dies within the collective, it is random for each rank whether it gets the
    result.

    Args:
        world: The job.
        members: Numbers of the processes, in the order of their ranks.
        root: The group that this is a part of.
    """

    def __init__(self, world: World, members: list[int], root: SimulatedGroup | None = None) -> None:
        self.world, self.members, self.root = world, members, root or self
        self.job = self  # the root knows the machines
        self._revoked = False
        self._round = _Round()
        self._mail: dict[tuple[int, int, str, int], deque[Any]] = {}

    def node_of(self, member: int) -> int:
        """All are on one machine."""
        return 0

    def revoke(self) -> None:
        """Revoke the group: from now on, all collectives of all its parts fail."""
        if not self.root._revoked:
            self.root._revoked = True
            self.world.scheduler.wake()

    def exchange(self, rank: int, given: Any, what: str) -> list[Any]:
        """Wait until every rank has passed an object; return all objects, in the order of ranks.

        Raises:
            RanksLost: Ranks have died.
        """
        round = self._give(rank, given, what)
        scheduler = self.world.scheduler
        while not round.done:
            self._fail_if(self._lacks(round), what)
            scheduler.wait()
        self._fail_if(self._dead_in(round) and scheduler.rng.random() < 0.5, what)
        self.world.point(self.members[rank], f"after {what}")
        return [round.given[i] for i in range(len(self.members))]

    def vote(self, rank: int, what: str = "commit") -> bool:
        """Vote; uniform. Returns whether the group should change.

        Raises:
            RanksLost: On all members, or on none.
        """
        round = self._give(rank, None, what)
        while not round.done:
            self._fail_if(self._lacks(round), what)
            self.world.scheduler.wait()
        if round.verdict is None:
            round.verdict = not self._dead_in(round) or self.world.scheduler.rng.random() < 0.5
            round.wanted = self.world.is_to_change
        self._fail_if(not round.verdict, what)
        self.world.point(self.members[rank], f"after {what}")
        return round.wanted

    def post(self, source: int, dest: int, kind: str, tag: int, message: Any) -> None:
        """Leave a message for a rank; never waits."""
        self.world.point(self.members[source], "before send")
        self._fail_if(self.root._revoked or self.world.is_dead(self.members[dest]), "send")
        self._mail.setdefault((source, dest, kind, tag), deque()).append(message)
        self.world.scheduler.wake()

    def fetch(self, source: int, dest: int, kind: str, tag: int) -> Any:
        """Wait for a message. Raises RanksLost if it cannot arrive any more."""
        self.world.point(self.members[dest], "before recv")
        box = self._mail.setdefault((source, dest, kind, tag), deque())
        while not box:
            self._fail_if(self.root._revoked or self.world.is_dead(self.members[source]), "recv")
            self.world.scheduler.wait()
        return box.popleft()

    def _give(self, rank: int, given: Any, what: str) -> _Round:
        me = self.members[rank]
        self.world.point(me, f"before {what}")
        round = self._round
        self._fail_if(self._lacks(round) or (round.verdict is False), what)
        round.given[rank] = given
        if len(round.given) == len(self.members):
            round.done = True
            self._round = _Round()
        self.world.scheduler.wake()
        self.world.point(me, f"within {what}")
        return round

    def _lacks(self, round: _Round) -> bool:
        """Whether this collective can no longer be completed."""
        if self.root._revoked:
            return True
        for rank, member in enumerate(self.members):
            if member in self.world.finished and rank not in round.given:
                raise RankFailed(f"rank {rank} has ended its program, but others wait for it")
            if self.world.is_dead(member) and rank not in round.given:
                return True
        return False

    def _dead_in(self, round: _Round) -> bool:
        return any(self.world.is_dead(member) for member in self.members)

    def _fail_if(self, failed: bool, what: str) -> None:
        if failed:
            self.revoke()
            dead = [rank for rank, member in enumerate(self.members) if self.world.is_dead(member)]
            raise RanksLost(f"rank {', '.join(map(str, dead))} has died; this rank was in {what}" if dead else what)
