"""The communicator of a simulated process."""

from __future__ import annotations

import weakref
from typing import Any, Self

from renga_comm_base.resilience import Change, RanksLost, ResilientBase
from renga_distributed.simulation.world import SimulatedGroup, World
from renga_distributed.threads import ThreadsCommunicator

__all__ = ["SimulatedCommunicator"]


class SimulatedCommunicator(ThreadsCommunicator, ResilientBase):
    """A resilient communicator whose ranks are threads that run one at a time. Made by `simulate`.

    Objects are pickled when they are sent, sums are computed in the order of ranks, and `imean` completes at once.

    Args:
        world: The job.
        process: Number of its process.
    """

    overlaps = False

    def __init__(self, world: World, process: int) -> None:
        self._world, self._process = world, process
        self._parts: list[tuple[weakref.ref[SimulatedCommunicator], int, int]] = []
        member = process in world.group.members
        self._spare = not member
        # A process outside the group is alone.
        self._become(world.group if member else SimulatedGroup(world, [process]))

    @property
    def is_spare(self) -> bool:  # noqa: D102
        return self._spare

    def split(self, color: int, key: int) -> Self:  # noqa: D102
        part = object.__new__(type(self))
        part._world, part._process, part._parts, part._spare = self._world, self._process, [], self._spare
        self._parts.append((weakref.ref(part), color, key))
        self._divide(part, color, key)
        return part

    def join(self) -> Change | None:  # noqa: D102
        change = self._world.join(self._process)
        if change is not None:
            self._spare = False
            self._become(self._world.group)
        return change

    def commit(self) -> bool:  # noqa: D102
        return bool(self._simulated.vote(self._rank))

    def recover(self) -> Change:  # noqa: D102
        while True:
            change = self._world.recover(self._process)
            try:
                self._become(self._world.group)
            except RanksLost:
                continue
            return change

    def admit(self) -> Change | None:  # noqa: D102
        group = self._simulated
        group.vote(self._rank, "admit")
        if self._world.group is group:  # the first process that arrives here does it for all
            self._world.change()
        change = self._world.changes[self._process]
        if self._process not in self._world.group.members:
            return None
        self._become(self._world.group)
        return change

    def ask_to_leave(self) -> None:  # noqa: D102
        self._world.leaving.add(self._process)

    def die(self) -> None:
        """End this process, as SIGKILL does. Raises Died."""
        self._world.die(self._process, "by itself")

    def _become(self, group: SimulatedGroup) -> None:
        self._group: Any = group  # the base class treats this error like its own
        self._simulated = group
        self._rank = group.members.index(self._process)
        self._parts = [(part, color, key) for part, color, key in self._parts if part() is not None]
        for reference, color, key in self._parts:
            if (part := reference()) is not None:
                self._divide(part, color, key)

    def _divide(self, part: SimulatedCommunicator, color: int, key: int) -> None:
        places = self._exchange("split", None, (color, key))
        ranks = [rank for _, rank in sorted((k, rank) for rank, (c, k) in enumerate(places) if c == color)]
        mine = SimulatedGroup(self._world, [self._group.members[rank] for rank in ranks], self._simulated.root)
        part._group = part._simulated = self._exchange("split", None, mine)[ranks[0]]
        part._rank = ranks.index(self.rank)
