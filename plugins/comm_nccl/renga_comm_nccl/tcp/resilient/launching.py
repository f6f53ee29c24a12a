"""Starts the processes of a job whose ranks may die, and new ones in place of those."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType

from renga_comm_nccl.tcp.resilient.job import Job, Policy
from renga_comm_nccl.tcp.store import Store

__all__ = ["Survivors"]

_LOOK = 0.02
_GRACE = 5.0
"""Time in seconds that processes have to end after a request to stop."""
_YOUNG = 10.0
"""A new process that dies within this time in seconds has died at once; the next one starts later."""
_LONGEST = 60.0


class Survivors:
    """The processes of a job.

    Args:
        policy: What happens when ranks die.
        timeout: Time in seconds after which a rank that does not answer is killed; 0: never.
        start: Starts a process with this number, and this position on the machine among those that run.
    """

    def __init__(self, policy: Policy, timeout: float, start: Callable[[int, int], subprocess.Popen[bytes]]) -> None:
        self.job = Job(policy, timeout, self._ask_for, self._kill)
        self._policy, self._start = policy, start
        self._lock = threading.Lock()
        self._running: dict[int, tuple[subprocess.Popen[bytes], int, float]] = {}
        """By number: the process, its position, and when it started."""
        self._asked: deque[int] = deque()
        self._signals: list[int] = []
        self._failure = 0
        self._served = False
        self._deaths = 0
        self._next_start = 0.0

    def run(self, store: Store) -> int:
        """Run the job until all processes have ended; return its exit status. Call it in the main thread.

        The status is 0 if a rank has come to the end of its program.
        """
        before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        if self._policy.most:
            before[signal.SIGUSR2] = signal.signal(signal.SIGUSR2, lambda number, frame: self._add(store))
        try:
            for number in range(self._policy.ranks + self._policy.spares):
                self._begin(number)
            deadline = float("inf")
            while self._running or (self._asked and not self._signals):
                self._look(store)
                if self._signals and deadline == float("inf"):
                    deadline = time.monotonic() + _GRACE
                if time.monotonic() > deadline:
                    self._tell(signal.SIGKILL)
                time.sleep(_LOOK)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._served:
            return 0
        return 128 + self._signals[0] if self._signals else self._failure or 1

    def kill(self) -> None:
        """Kill all processes that are left."""
        self._tell(signal.SIGKILL)
        for process, _, _ in self._running.values():
            process.wait()

    # --- processes ----------------------------------------------------------------------------------------------------

    def _look(self, store: Store) -> None:
        for number, (process, _, since) in list(self._running.items()):
            status = process.poll()
            if status is None:
                continue
            with self._lock:
                del self._running[number]
            store.call(partial(self.job.died, number, "has ended"))
            if status:
                self._note_failure(number, process.pid, status, time.monotonic() - since)
            elif number not in self.job.unneeded:
                self._served = True
        while self._asked and not self._signals and time.monotonic() >= self._next_start:
            self._begin(self._asked.popleft())

    def _note_failure(self, number: int, pid: int, status: int, lived: float) -> None:
        self._failure = self._failure or (status if status > 0 else 128 - status)
        how = f"ended with status {status}" if status > 0 else f"was killed by {signal.Signals(-status).name}"
        rest = "; the others go on" if self._running else ""
        if not self._signals:
            print(f"renga: process {pid} (started as rank {number}) {how}{rest}", file=sys.stderr, flush=True)
        late = number >= self._policy.ranks + self._policy.spares
        self._deaths = self._deaths + 1 if late and lived < _YOUNG else 0
        if self._deaths:
            seconds = min(2.0 ** (self._deaths - 1), _LONGEST)
            self._next_start = time.monotonic() + seconds
            if self._asked or self._policy.respawn:
                print(
                    f"renga: {self._deaths} new process{'es' if self._deaths > 1 else ''} died soon after the start; "
                    f"the next one starts in {seconds:g} s",
                    file=sys.stderr,
                    flush=True,
                )

    def _begin(self, number: int) -> None:
        taken = {position for _, position, _ in self._running.values()}
        position = next(i for i in range(len(taken) + 1) if i not in taken)
        process = self._start(number, position)
        with self._lock:
            self._running[number] = process, position, time.monotonic()

    def _ask_for(self, number: int) -> None:
        """Start a process soon; the store's thread calls it."""
        self._asked.append(number)

    def _kill(self, number: int) -> None:
        """Kill a process; the store's thread calls it."""
        with self._lock:
            found = self._running.get(number)
            if found is not None:
                with suppress(ProcessLookupError):
                    found[0].send_signal(signal.SIGKILL)

    # --- signals ------------------------------------------------------------------------------------------------------

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._signals.append(number)
        if len(self._signals) > 1:
            self._tell(signal.SIGKILL)
        elif number == signal.SIGTERM:
            self._tell(signal.SIGINT)  # SIGTERM would ask each rank to leave the group

    def _add(self, store: Store) -> None:
        store.call(self.job.request)
        os.write(2, f"\nrenga: one more rank is asked for; {self._policy.most} is the maximum (--max)\n".encode())

    def _tell(self, number: int) -> None:
        for process, _, _ in list(self._running.values()):
            with suppress(ProcessLookupError):
                process.send_signal(number)
