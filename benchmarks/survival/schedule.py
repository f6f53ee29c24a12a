"""Who is killed when, drawn from the number of the job."""

from __future__ import annotations

import random
from typing import NamedTuple

__all__ = ["Kill", "Schedule", "draw"]

MOMENTS = ("steps", "steps", "steps", "steps", "start", "end")
"""When a first kill comes: mostly among iterations; also while communicators are made, and at the end."""


class Kill(NamedTuple):
    """One kill.

    Attributes:
        moment: ``steps``: when a part of the iterations is done; ``start``: when the ranks have begun to make their
            communicator; ``end``: when one is at the end of its program; ``next``: after the kill before.
        amount: That part, or the seconds after that.
        victim: Which of those that may be killed, as a number from 0 to 1.
        by: The signal's name.
    """

    moment: str
    amount: float
    victim: float
    by: str


class Schedule(NamedTuple):
    """One job: how many ranks and spares, how many iterations, and its kills in their order."""

    ranks: int
    spares: int
    steps: int
    kills: tuple[Kill, ...]


def draw(number: int) -> Schedule:
    """Return the schedule of a job; one process of its first group is never killed, since all state would be lost."""
    draws = random.Random(number)
    ranks, spares = draws.randint(2, 4), draws.randint(0, 2)
    kills: list[Kill] = []
    done = 0.0
    for _ in range(min(draws.randint(1, 3), ranks + spares - 1)):
        moment = draws.choice(MOMENTS)
        if kills and draws.random() < 0.5:
            # At once, within the recovery from the one before, or just after.
            kills.append(Kill("next", draws.choice((0.0, draws.uniform(0.0, 0.02))), draws.random(), "SIGKILL"))
            continue
        if moment != "steps" and kills:
            continue
        done = draws.uniform(done, 1.0)
        amount = done if moment == "steps" else draws.uniform(0.0, 0.05)
        kills.append(Kill(moment, amount, draws.random(), "SIGKILL"))
        if moment == "end":
            break
    return Schedule(ranks, spares, draws.randint(100, 200), tuple(kills))
