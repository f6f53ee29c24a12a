"""What is run on simulated ranks, and what is noted of it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from renga_distributed.recovery.membership import Event
from renga_distributed.simulation.faults import Fault
from renga_distributed.simulation.simulate import Outcome

__all__ = ["Case", "Record"]


@dataclass(frozen=True)
class Case:
    """One simulated run.

    Attributes:
        mode: Key of `MODES`.
        seed: Of the order in which ranks go on.
        ranks, spares, newcomers, replace: See `simulate`.
        faults: What happens to whom.
        leaving: Ranks from this number on leave before this iteration, by iteration: for the run to compare with.
    """

    mode: str
    seed: int
    ranks: int = 3
    spares: int = 0
    newcomers: int = 0
    replace: bool = True
    faults: tuple[Fault, ...] = ()
    leaving: tuple[tuple[int, int], ...] = ()


@dataclass
class Record:
    """What is noted of a run, from outside.

    Attributes:
        outcome: Of the simulation.
        parameters: By iteration, digests after it that ranks noted, each with the number of the part of the model.
        values: The parameters themselves, at the end.
        used: The examples that each rank took in its last attempt, by iteration and rank.
        sizes: Size of the group that made each iteration.
        log: The lines of the log, as the ranks have written it.
        snapshots: Digests of the states that ranks saved, by iteration and attempt.
        events: What people are told.
        members: Processes of the last group that went on after a change, by rank; empty if there was no change.
    """

    outcome: Outcome | None = None
    parameters: defaultdict[int, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))
    values: dict[str, Any] = field(default_factory=dict)
    used: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    log: list[dict[str, Any]] = field(default_factory=list)
    snapshots: dict[int, set[tuple[int, ...]]] = field(default_factory=lambda: defaultdict(set))
    events: list[Event] = field(default_factory=list)
    members: list[int] = field(default_factory=list)
