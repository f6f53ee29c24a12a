"""Faults of a simulated run."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

__all__ = ["Died", "Fault", "draw_faults"]


class Died(BaseException):
    """Ends a simulated process, as SIGKILL ends a real one. Programs must not catch it."""


@dataclass(frozen=True)
class Fault:
    """An event at a communication point of a process.

    Each collective has three points: before it; within it, after this process has passed its part (others may or may
    not get the result); and after it. `recover`, `join` and `admit` have one before and one after.

    Attributes:
        process: Number of the process.
        at: Index of the communication point, from 0.
        kind: ``"die"``; or ``"leave"``: the process is requested to leave the group, and continues until it has left.
        since: Start of the counting: ``"start"`` of the process, or the first ``"recovery"`` of the group, so that the
            fault occurs during a recovery.
    """

    process: int
    at: int
    kind: Literal["die", "leave"] = "die"
    since: Literal["start", "recovery"] = "start"


def draw_faults(rng: Random, ranks: int, spares: int, newcomers: int, points: int) -> tuple[Fault, ...]:
    """Draw up to four faults: at any time, two within a few points, within a recovery, or requests to leave.

    Args:
        rng: Draws.
        ranks: Processes in the group at first.
        spares: Processes that wait to replace a dead one.
        newcomers: Processes that enlarge the group.
        points: Approximate number of communication points of a process in a run without faults.
    """
    faults = []
    everybody = ranks + spares + newcomers
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3))):
        victim, at = rng.randrange(everybody), rng.randrange(points)
        if victim >= ranks:  # a recovery comes later, so fewer points follow
            at = rng.randrange(points // 4)
        faults.append(Fault(victim, at))
        if rng.random() < 0.15:
            faults.append(Fault(rng.randrange(everybody), max(0, at + rng.randrange(-2, 3))))
        if rng.random() < 0.35:
            faults.append(Fault(rng.randrange(everybody), rng.randrange(24), since="recovery"))
    if rng.random() < 0.2:
        faults.append(Fault(rng.randrange(ranks), rng.randrange(points), kind="leave"))
    return tuple(faults)
