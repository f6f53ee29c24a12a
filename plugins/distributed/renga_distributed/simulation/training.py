"""Runs a small training run on simulated ranks."""

from __future__ import annotations

import os
from functools import lru_cache
from random import Random
from tempfile import TemporaryDirectory

from renga_distributed.simulation.faults import draw_faults
from renga_distributed.simulation.modes import MODES
from renga_distributed.simulation.program import make_program
from renga_distributed.simulation.record import Case, Record
from renga_distributed.simulation.simulate import simulate

__all__ = ["draw", "points", "run", "undisturbed"]

_MEMORY = "/dev/shm"


def draw(mode: str, seed: int) -> Case:
    """The case of a seed: number of ranks, replacement of dead ones, and faults."""
    rng = Random(f"{mode} {seed}")
    how = MODES[mode]
    ranks = rng.choice((1, 2, 2, 3, 3, 3, 4))
    if not how.weighted:
        ranks = min(ranks, 2)  # so that each rank has a part of each batch, also after others have joined
    if how.stages:
        ranks = how.stages
    kind = rng.choice(("replace", "replace", "shrink", "grow"))
    if how.has_fixed_size:
        kind = "replace"
    spares = rng.choice((1, 2, 3)) if kind == "replace" else 0
    newcomers = rng.choice((1, 2)) if kind == "grow" else 0
    faults = draw_faults(rng, ranks, spares, newcomers, points(mode, ranks))
    return Case(mode, seed, ranks, spares, newcomers, kind == "replace", faults)


def run(case: Case) -> Record:
    """Run a case; return its record."""
    record = Record()
    with TemporaryDirectory(dir=_MEMORY if os.path.isdir(_MEMORY) else None) as out:
        record.outcome = simulate(
            make_program(case, record, out),
            case.ranks,
            case.seed,
            case.faults,
            spares=case.spares,
            newcomers=case.newcomers,
            replace=case.replace,
        )
    return record


@lru_cache(maxsize=4096)
def undisturbed(mode: str, ranks: int, leaving: tuple[tuple[int, int], ...] = ()) -> Record:
    """The run to compare with: no rank dies; ranks leave before given iterations."""
    return run(Case(mode, 0, ranks, leaving=leaving))


@lru_cache
def points(mode: str, ranks: int) -> int:
    """Number of communication points of a rank in a run without deaths."""
    outcome = undisturbed(mode, ranks).outcome
    assert outcome is not None
    return max(outcome.points.values())
