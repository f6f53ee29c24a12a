"""Threads of which one runs at a time; who goes on is drawn from a seed, so that a seed replays a run exactly.

Claessen et al., Finding Race Conditions in Erlang with QuickCheck and PULSE, ICFP (2009); FoundationDB and TigerBeetle
test in this way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random
from typing import Any

from renga_core import random

__all__ = ["Process", "Scheduler", "Stuck"]


class Stuck(BaseException):
    """Ends a simulated process: all wait for others, or there have been more steps than there should be."""


class Process:
    """One simulated process.

    Attributes:
        number: From 0, in the order in which they were made.
        result: What its program returned.
        error: What it raised, if anything.
        ended: Whether it is over.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.result: Any = None
        self.error: BaseException | None = None
        self.ended = False
        self.turn = threading.Lock()
        self.turn.acquire()
        self.random: tuple[Any, ...] = (None, 0, {})


class Scheduler:
    """Runs processes in turn. They call `pause` where another one may go on, and `wait` where one must.

    Args:
        seed: Decides who goes on, and whatever else draws from `rng`.
        limit: Number of steps after which the run counts as endless.

    Attributes:
        rng: The generator; for everything that is left to chance.
        steps: How many choices were made so far.
        problem: Why the run was broken off; None if it was not.
    """

    def __init__(self, seed: int, limit: int = 200_000) -> None:
        self.rng = Random(seed)
        self.steps = 0
        self.problem: str | None = None
        self.processes: list[Process] = []
        self._limit = limit
        self._ready: list[Process] = []
        self._over = threading.Event()
        self.current: Process | None = None

    def run(self, programs: list[Callable[[Process], Any]]) -> None:
        """Run each program in a process of its own until all are over."""
        self.processes = [Process(number) for number in range(len(programs))]
        self._ready = list(self.processes)
        threads = [
            threading.Thread(target=self._work, args=(process, program), daemon=True)
            for process, program in zip(self.processes, programs, strict=True)
        ]
        for thread in threads:
            thread.start()
        before = random.exchange()
        try:
            self._go_on(None)
            self._over.wait()
        finally:
            random.exchange(before)
        for thread in threads:
            thread.join()

    def pause(self) -> None:
        """Let another process go on, or this one.

        Raises:
            Stuck: There have been too many steps.
        """
        self._check()
        self._go_on(self.current)

    def wait(self) -> None:
        """Let others go on until one of them has called `wake`.

        Raises:
            Stuck: Nobody will.
        """
        self._check()
        me = self.current
        assert me is not None
        self._ready.remove(me)
        self._go_on(me)
        self._check()

    def wake(self) -> None:
        """Have all that wait look again."""
        self._ready = [process for process in self.processes if not process.ended]

    def _check(self) -> None:
        if self.problem is not None:
            raise Stuck(self.problem)
        self.steps += 1
        if self.steps > self._limit:
            self.problem = f"not over after {self._limit} steps"
            raise Stuck(self.problem)

    def _go_on(self, me: Process | None) -> None:
        """Choose who goes on; return when `me` is chosen again, at once if it is over."""
        if not self._ready:
            left = [process.number for process in self.processes if not process.ended]
            if not left:
                self._over.set()
                return
            self.problem = self.problem or f"processes {left} wait for others"
            self.wake()
        # No choice costs no draw: that is faster, and a seed means the same.
        ready = self._ready
        chosen = ready[0] if len(ready) == 1 else ready[int(self.rng.random() * len(ready))]
        if chosen is me:
            return
        now = random.exchange(chosen.random)
        if me is not None:
            me.random = now
        self.current = chosen
        chosen.turn.release()
        if me is not None and not me.ended:
            me.turn.acquire()

    def _work(self, process: Process, program: Callable[[Process], Any]) -> None:
        process.turn.acquire()
        try:
            process.result = program(process)
        except BaseException as error:
            process.error = error
        process.ended = True
        self.wake()
        self._go_on(process)
