"""Runs a program on simulated ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from renga_distributed.simulation.communicator import SimulatedCommunicator
from renga_distributed.simulation.faults import Died, Fault
from renga_distributed.simulation.scheduler import Process, Scheduler, Stuck
from renga_distributed.simulation.world import World

__all__ = ["Outcome", "simulate"]


@dataclass(frozen=True)
class Outcome:
    """Outcome of a simulated run.

    Attributes:
        results: Return values of programs, by the number of the process; without processes that died or were not
            needed.
        errors: Exceptions of programs.
        deaths: The processes that died, and where.
        problem: Why the run was broken off: all waited for others, or it did not come to an end. None if it was not.
        steps: Number of choices of the next process.
        points: Number of communication points of each process.
    """

    results: dict[int, Any]
    errors: dict[int, BaseException]
    deaths: tuple[str, ...]
    problem: str | None
    steps: int
    points: dict[int, int]


def simulate(
    program: Callable[[SimulatedCommunicator], Any],
    ranks: int,
    seed: int,
    faults: Sequence[Fault] = (),
    *,
    spares: int = 0,
    newcomers: int = 0,
    replace: bool = True,
    minimum: int = 1,
) -> Outcome:
    """Run a program on ranks that are threads, one at a time, and let some of them die.

    At each communication point the seed determines the next rank, so the same arguments give the same run. Each process
    has its own random generators of Renga; other globals are shared.

    Args:
        program: Called with the communicator of its process; for spares and newcomers, its `is_spare` is true.
        ranks: Processes that are in the group from the beginning; numbers 0, 1, …
        seed: Determines all random choices.
        faults: The faults.
        spares: Processes that wait to replace dead ones; the next numbers.
        newcomers: Processes that are added to the group; the last numbers.
        replace: Whether waiting processes replace dead ones; otherwise the group gets smaller.
        minimum: With fewer survivors, `ResilientBase.recover` raises an error.
    """
    scheduler = Scheduler(seed)
    world = World(scheduler, ranks, faults, replace, minimum)
    total = ranks + spares + newcomers
    world.growing = set(range(ranks + spares, total))

    def run(process: Process) -> Any:
        try:
            return program(SimulatedCommunicator(world, process.number))
        finally:
            if not world.is_dead(process.number):
                world.finish(process.number)

    scheduler.run([run] * total)
    alive = [process for process in scheduler.processes if not world.is_dead(process.number)]
    errors = {process.number: process.error for process in alive if process.error is not None}
    if scheduler.problem is not None:
        errors = {number: error for number, error in errors.items() if not isinstance(error, Stuck)}
    for process in scheduler.processes:
        if world.is_dead(process.number) and not isinstance(process.error, Died):
            errors[process.number] = AssertionError(f"process {process.number} continued after its death")
    return Outcome(
        {process.number: process.result for process in alive if process.error is None},
        errors,
        tuple(world.deaths),
        scheduler.problem,
        scheduler.steps,
        dict(world.points),
    )
