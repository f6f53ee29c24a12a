"""What the launcher tells the processes of a job whose ranks may die."""

from __future__ import annotations

import os
from typing import NamedTuple

from renga_comm_base.resilience import Change

__all__ = ["EXPELLED", "FEW", "GROUP", "LOST", "OUT", "VARIABLE", "WAITING", "Place", "is_survivable"]

VARIABLE = "RENGA_SURVIVORS"
"""Environment variable: 1 if the launcher lets the others continue when a rank dies."""

GROUP, OUT, FEW, LOST, WAITING, EXPELLED = "group", "out", "few", "lost", "waiting", "expelled"
"""Messages from the job.

Answers: a `Place`; this process has none and is not needed; too few ranks are left (text). News: the group of an epoch
must recover (epoch, reason); a process waits for a place (its number of splits, and the number of places); this process
is taken for dead (reason).
"""


class Place(NamedTuple):
    """The place of a process in a new group.

    Attributes:
        epoch: Number of this group in the job.
        rank, size: Rank of the process, and number of ranks.
        seat: Number that the process keeps when others die.
        change: How the group has changed.
        waiting: For each process that still waits, the number of groups that it has made by `split`.
        total: Number of places, taken or vacant.
        stays: The process must leave later, when another one has the state.
    """

    epoch: int
    rank: int
    size: int
    seat: int
    change: Change
    waiting: tuple[int, ...]
    total: int
    stays: bool


def is_survivable() -> bool:
    """Whether a launcher started this process as one that may die."""
    return os.environ.get(VARIABLE) == "1"
