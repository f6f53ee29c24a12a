"""Cases for simulated ranks, and records of their runs."""

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
        seed: Determines the order of ranks.
        ranks, spares, newcomers, replace: See `simulate`.
        faults: The faults.
        leaving: Only for the reference run: iterations, each with a rank; this rank and those above it leave before it.
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
    """Observations of a run.

    Attributes:
        outcome: Outcome of the simulation.
        parameters: For each iteration, digests of ranks after it, each with the number of the part of the model.
        values: The parameters themselves, at the end.
        used: The examples that each rank took in its last attempt, by iteration and rank.
        sizes: Size of the group in each iteration.
        log: The lines of the log.
        snapshots: Digests of the states that ranks saved, by iteration and attempt.
        events: Messages for users.
        members: Processes of the last group that continued after a change, by rank; empty if there was no change.
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
