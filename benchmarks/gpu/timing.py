"""Timing several programs side by side."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

__all__ = ["Contestant", "Workload", "race"]


@dataclass
class Contestant:
    """A program that does the workload once with one library.

    Attributes:
        library: Name of the library.
        run: Does the work once.
        around: Function that creates a context manager for each round, for settings.
        seconds: Time of one run, measured in each round.
    """

    library: str
    run: Callable[[], object]
    around: Callable[[], AbstractContextManager[object]] = nullcontext
    seconds: list[float] = field(default_factory=list)

    @property
    def minimum(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


@dataclass
class Workload:
    """The same work, done by several libraries.

    Attributes:
        name: For the table.
        contestants: The first is Renga; ratios are Renga's time divided by another's.
        per: Number of operations in a run; divides its time.
        unit: Unit in the table, and its number per second.
    """

    name: str
    contestants: Sequence[Contestant]
    per: int = 1
    unit: tuple[str, float] = ("ms", 1e3)


def race(workload: Workload, rounds: int = 30, seconds_a_round: float = 0.05) -> None:
    """Time the contestants in turns, so that other load of the machine affects all of them.

    Each round runs a contestant often enough to last `seconds_a_round`, with the garbage collector enabled as usual.
    """
    repeats = {}
    for contestant in workload.contestants:
        with contestant.around():
            contestant.run()  # first use: imports, caches
            start = time.perf_counter()
            contestant.run()
            repeats[contestant.library] = max(1, int(seconds_a_round / (time.perf_counter() - start)))
    for _ in range(rounds):
        for contestant in workload.contestants:
            gc.collect()
            count = repeats[contestant.library]
            with contestant.around():
                contestant.run()  # warm up after other settings and other thread pools
                start = time.perf_counter()
                for _ in range(count):
                    contestant.run()
                contestant.seconds.append((time.perf_counter() - start) / count)
