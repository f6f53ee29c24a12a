"""A pool of processes that sees them die.

Python's pool notices when one of its processes ends, except while it reads a result: a process that is killed when it
has sent half of one leaves the pool waiting for the other half, for ever. Results are small where there is shared
memory; where there is none, or not enough, they are not.
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
    """A pool of processes that does not wait for the dead.

    Args:
        n_processes: How many.
        context: Of `multiprocessing`.
        initializer, arguments: Function to be called in each process first.
    """

    def __init__(
        self, n_processes: int, context: Any, initializer: Callable[..., object], arguments: tuple[Any, ...]
    ) -> None:
        self._tracking = _TrackingContext(context)
        tracking: Any = self._tracking  # typed as one of multiprocessing's own
        super().__init__(n_processes, tracking, initializer, arguments)
        _pools.add(self)

    def has_dead_worker(self) -> bool:
        """Whether a process has ended; not to be asked after `shutdown`."""
        return bool(wait([process.sentinel for process in self._tracking.started()], 0))

    def kill(self) -> None:
        """End all processes at once. The pool is broken then: what was submitted raises BrokenProcessPool."""
        for process in self._tracking.started():
            process.kill()
        # The end that is written to, which `close` would not close alone. Now nobody has it open, and reading the rest
        # of a result is an error.
        for queue in self._tracking.queues:
            queue._writer.close()

    def end(self, patience: float) -> None:
        """Shut the pool down. Processes that have not finished what they are at after so many seconds are killed.

        They are killed at once if one of them has died.
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
    """A context of `multiprocessing` that remembers the processes, and the queue on which results come.

    Its queues have semaphores without a name, so that nothing of them is left when all processes are killed.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._processes: list[Any] = []
        self.queues: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def started(self) -> list[Any]:
        """The processes that there are, or were; not those that could not be started."""
        return [process for process in self._processes if process.pid is not None]

    def Process(self, *arguments: Any, **named: Any) -> Any:
        process = self._context.Process(*arguments, **named)
        self._processes.append(process)
        return process

    def SimpleQueue(self) -> Any:
        """Make a queue; the pool's only one of this kind is for results."""
        context: Any = self  # typed as one of multiprocessing's own
        queue = SimpleQueue[Any](ctx=context)
        self.queues.append(queue)
        return queue

    def Lock(self) -> Semaphore:
        return Semaphore()

    def BoundedSemaphore(self, value: int = 1) -> Semaphore:
        return Semaphore(value)


def _end_all() -> None:
    """When the program ends, end the pools that nobody has ended. Python's own pool would wait for what hangs."""
    for pool in list(_pools):
        pool.end(PATIENCE)


# What `atexit` calls is called too late: after Python's pools have been waited for, in the way that they register too.
threading._register_atexit(_end_all)  # type: ignore[attr-defined]
