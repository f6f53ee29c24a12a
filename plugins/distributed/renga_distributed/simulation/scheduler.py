"""Runs threads one at a time; a seed determines which one continues, so that a seed replays a run exactly.

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
    """Ends a simulated process, because all wait for others, or there are too many steps."""


class Process:
    """One simulated process.

    Attributes:
        number: Number from 0, in the order of creation.
        result: Return value of its program.
        error: Its exception, if any.
        ended: Whether it has ended.
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
    """Runs processes one at a time. They call `pause` if another one may continue, `wait` if another one must.

    Args:
        seed: Determines the order of processes, and all other draws from `rng`.
        limit: Number of steps after which the run counts as endless.

    Attributes:
        rng: The generator for all random choices.
        steps: Number of choices so far.
        problem: Reason why the run was stopped; None if it was not.
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
        """Run each program in its own process until all have ended."""
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
        """Let another process, or this one, continue.

        Raises:
            Stuck: There have been too many steps.
        """
        self._check()
        self._go_on(self.current)

    def wait(self) -> None:
        """Let other processes run until one of them has called `wake`.

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
        """Let all waiting processes check again."""
        self._ready = [process for process in self.processes if not process.ended]

    def _check(self) -> None:
        if self.problem is not None:
            raise Stuck(self.problem)
        self.steps += 1
        if self.steps > self._limit:
            self.problem = f"not ended after {self._limit} steps"
            raise Stuck(self.problem)

    def _go_on(self, me: Process | None) -> None:
        """Choose the next process; return when `me` is chosen again, or at once if it has ended."""
        if not self._ready:
            left = [process.number for process in self.processes if not process.ended]
            if not left:
                self._over.set()
                return
            self.problem = self.problem or f"processes {left} wait for others"
            self.wake()
        # A single candidate needs no random number; this is faster.
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
