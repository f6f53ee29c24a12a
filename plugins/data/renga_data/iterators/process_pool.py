"""A process pool that notices when a process dies.

Python's pool notices when one of its processes ends, except while it reads a result: if a process is killed after
sending half a result, the pool waits for the other half for ever. With shared memory, results are small; without it, or
with too little, they are not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait
from multiprocessing.queues import SimpleQueue
from typing import Any
from weakref import WeakSet

from renga_data.iterators.interruptible_wait import PATIENCE
from renga_data.iterators.semaphores import Semaphore

__all__ = ["ProcessPool"]


_pools: WeakSet[ProcessPool] = WeakSet()


class ProcessPool(ProcessPoolExecutor):
    """A process pool that never waits for a dead process.

    Args:
        n_processes: Number of processes.
        context: A context of `multiprocessing`.
        initializer, arguments: Function that each process calls first, and its arguments.
    """

    def __init__(
        self, n_processes: int, context: Any, initializer: Callable[..., object], arguments: tuple[Any, ...]
    ) -> None:
        self._tracking = _TrackingContext(context)
        tracking: Any = self._tracking  # typed as one of multiprocessing's own
        super().__init__(n_processes, tracking, initializer, arguments)
        _pools.add(self)

    def has_dead_worker(self) -> bool:
        """Whether a process has ended; do not call it after `shutdown`."""
        return bool(wait([process.sentinel for process in self._tracking.started()], 0))

    def kill(self) -> None:
        """End all processes at once. Then the pool is broken: pending results raise BrokenProcessPool."""
        for process in self._tracking.started():
            process.kill()
        # The writing end, which `close` alone would not close. Now nobody has it open, and reading the rest of a result
        # is an error.
        for queue in self._tracking.queues:
            queue._writer.close()

    def end(self, patience: float) -> None:
        """Shut the pool down. Processes that have not finished after this many seconds are killed.

        If a process has died, the others are killed at once.
        """
        manager: Any = self._executor_manager_thread
        if self.has_dead_worker():
            patience = 0.0
        self.shutdown(wait=False, cancel_futures=True)
        if manager is None:  # nothing has been submitted
            return
        manager.join(patience)
        if manager.is_alive():
            self.kill()
            manager.join()


class _TrackingContext:
    """A context of `multiprocessing` that remembers the processes, and the queue of results.

    Its queues use unnamed semaphores, so nothing of them remains when all processes are killed.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._processes: list[Any] = []
        self.queues: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def started(self) -> list[Any]:
        """All processes that were started, running or ended."""
        return [process for process in self._processes if process.pid is not None]

    def Process(self, *arguments: Any, **named: Any) -> Any:
        process = self._context.Process(*arguments, **named)
        self._processes.append(process)
        return process

    def SimpleQueue(self) -> Any:
        """Make a queue; the pool's only queue of this kind is for results."""
        context: Any = self  # typed as one of multiprocessing's own
        queue = SimpleQueue[Any](ctx=context)
        self.queues.append(queue)
        return queue

    def Lock(self) -> Semaphore:
        return Semaphore()

    def BoundedSemaphore(self, value: int = 1) -> Semaphore:
        return Semaphore(value)


def _end_all() -> None:
    """At the end of the program, end all remaining pools. Python's own pool would wait for hanging processes."""
    for pool in list(_pools):
        pool.end(PATIENCE)


# `atexit` would run too late: after Python's pools have been waited for, through the same registration as this.
threading._register_atexit(_end_all)  # type: ignore[attr-defined]
