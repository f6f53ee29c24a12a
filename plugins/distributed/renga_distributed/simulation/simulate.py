"""Running a program on simulated ranks."""

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
    """How a simulated run has ended.

    Attributes:
        results: What programs returned, by the number of their process; of those that died, and of those that were not
            needed, nothing.
        errors: What programs raised.
        deaths: Who died, and where.
        problem: Why the run was broken off: all waited for others, or it did not come to an end. None if it was not.
        steps: How often it was chosen who goes on.
        points: How many communication points each process had.
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
    """Run a program on ranks that are threads of which one runs at a time, and let some of them die.

    At each communication point the seed decides who goes on: the same arguments give the same run. Renga's random
    generators are each process's own here; other globals are shared.

    Args:
        program: Called with the communicator of its process; that of a spare or newcomer `is_spare`.
        ranks: Processes that are in the group from the beginning; numbers 0, 1, …
        seed: Decides everything that is left to chance.
        faults: What happens to which process.
        spares: Processes that wait for the places of others; the next numbers.
        newcomers: Processes that are added to the group; the last numbers.
        replace: Whether processes that wait take the places of those that die; otherwise the group gets smaller.
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
            errors[process.number] = AssertionError(f"process {process.number} went on after its death")
    return Outcome(
        {process.number: process.result for process in alive if process.error is None},
        errors,
        tuple(world.deaths),
        scheduler.problem,
        scheduler.steps,
        dict(world.points),
    )
