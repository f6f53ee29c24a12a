"""A thread pool that a program need not wait for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

__all__ = ["DaemonThreadPool"]

_Task = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]


class DaemonThreadPool:
    """Threads that run submitted functions in order.

    Python's own pool prevents a program from ending while one of its threads hangs, because they are not daemon
    threads.

    Args:
        n_threads: Number of threads. They start at once.
        name: Prefix of their names.
    """

    def __init__(self, n_threads: int, name: str) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        # Not methods: the threads refer to the queue, not to the pool.
        self._threads = [
            threading.Thread(target=_work, args=(self._tasks,), name=f"{name}_{i}", daemon=True)
            for i in range(n_threads)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Submit a function."""
        future: Future[Any] = Future()
        self._tasks.put((future, function, arguments))
        return future

    def shutdown(self, patience: float) -> None:
        """End the threads when they have done what was submitted. Who takes longer than `patience` seconds is left."""
        for _ in self._threads:
            self._tasks.put(None)
        deadline = time.monotonic() + patience
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))


def _work(tasks: SimpleQueue[_Task | None]) -> None:
    while (task := tasks.get()) is not None:
        future, function, arguments = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function(*arguments))
            except BaseException as error:
                future.set_exception(error)
        del task, future, function, arguments  # otherwise the last result would stay until the next one
