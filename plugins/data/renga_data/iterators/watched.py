"""A pool that sees its processes die.

Python's pool notices when one of its processes ends, except while it reads a result: a process that is killed when it
has sent half of one leaves the pool waiting for the other half, for ever. Results are small where there is shared
memory; where there is none, or not enough, they are not.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import wait
from typing import Any

__all__ = ["WatchedPool"]


class WatchedPool(ProcessPoolExecutor):
    """A pool of processes that does not wait for the dead.

    Args:
        n_processes: How many.
        context: Of `multiprocessing`.
        initializer, arguments: Function to be called in each process first.
    """

    def __init__(
        self, n_processes: int, context: Any, initializer: Callable[..., object], arguments: tuple[Any, ...]
    ) -> None:
        self._watched = _WatchedContext(context)
        watched: Any = self._watched  # typed as one of multiprocessing's own
        super().__init__(n_processes, watched, initializer, arguments)

    def somebody_died(self) -> bool:
        """Whether a process has ended; not to be asked after `shutdown`."""
        return bool(wait([process.sentinel for process in self._watched.started()], 0))

    def kill(self) -> None:
        """End all processes at once. The pool is broken then: what was submitted raises BrokenProcessPool."""
        for process in self._watched.started():
            process.kill()
        # The end that is written to, which `close` would not close alone. Now nobody has it open, and reading the rest
        # of a result is an error.
        for queue in self._watched.queues:
            queue._writer.close()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As of all pools; if a process has died, the others are killed."""
        if self.somebody_died():
            self.kill()
        super().shutdown(wait, cancel_futures=cancel_futures)


class _WatchedContext:
    """A context of `multiprocessing` that remembers the processes, and the queue on which results come."""

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
        queue = self._context.SimpleQueue()
        self.queues.append(queue)
        return queue
