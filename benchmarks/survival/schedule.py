"""The kills of a job, determined by the number of the job."""

from __future__ import annotations

import random
from typing import NamedTuple

__all__ = ["Kill", "Schedule", "draw"]

MOMENTS = ("steps", "steps", "steps", "steps", "start", "end")
"""Time of the first kill: mostly during iterations; also during creation of communicators, and at the end."""


class Kill(NamedTuple):
    """One kill.

    Attributes:
        moment: ``steps``: after a fraction of the iterations; ``start``: after the ranks have begun to create their
            communicator; ``end``: after one has reached the end of its program; ``next``: after the previous kill.
        amount: This fraction, or the seconds after this event.
        victim: Which of the possible victims to kill, as a number from 0 to 1.
        by: Name of the signal.
        program: Kill a process that has started the program, if there is one.
    """

    moment: str
    amount: float
    victim: float
    by: str
    program: bool = True


class Schedule(NamedTuple):
    """One job.

    Attributes:
        ranks, spares: Their numbers.
        steps: Number of iterations.
        kills: The kills, in order.
        respawn: Number of dormant processes; one starts for each dead rank that no spare replaces.
        waits: Whether the others wait for it.
    """

    ranks: int
    spares: int
    steps: int
    kills: tuple[Kill, ...]
    respawn: int = 0
    waits: bool = False


_DORMANT = 0.15
"""Fraction of victims that have not started the program, or are starting it, if there are any."""
_TO_JOIN = 3
"""Factor for the number of iterations if a process can join during the run."""


def draw(number: int, respawn: bool | None = None) -> Schedule:
    """Return the schedule of a job; one process of the first group is never killed, to keep the state.

    Args:
        number: Number of the job.
        respawn: Whether it has dormant processes; None: every second one has.
    """
    draws = random.Random(number)
    ranks, spares = draws.randint(2, 4), draws.randint(0, 2)
    kills: list[Kill] = []
    done = 0.0
    for _ in range(min(draws.randint(1, 3), ranks + spares - 1)):
        moment = draws.choice(MOMENTS)
        if kills and draws.random() < 0.5:
            # At once, during the recovery from the previous kill, or just after it.
            kills.append(Kill("next", draws.choice((0.0, draws.uniform(0.0, 0.02))), draws.random(), "SIGKILL"))
            continue
        if moment != "steps" and kills:
            continue
        done = draws.uniform(done, 1.0)
        amount = done if moment == "steps" else draws.uniform(0.0, 0.05)
        kills.append(Kill(moment, amount, draws.random(), "SIGKILL"))
        if moment == "end":
            break
    kills = [kill._replace(program=draws.random() > _DORMANT) for kill in kills]
    steps = draws.randint(100, 200)
    if respawn is False or (respawn is None and number % 2 == 0):
        return Schedule(ranks, spares, steps, tuple(kills))
    spares, waits = draws.randint(0, 1), draws.random() < 0.5
    return Schedule(ranks, spares, steps if waits else _TO_JOIN * steps, tuple(kills), draws.randint(1, 3), waits)
