"""``snapshot_writers``: who writes a snapshot's file, and when.

A writer is called with a file's name, a folder and a dictionary of arrays by path.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import threading
from collections.abc import Callable
from typing import Any

from renga_chainer.modules.chainer.serializers import save_npz
from renga_serializers.atomic import atomic_path
from renga_training.snapshots import SnapshotStore

__all__ = [
    "ProcessQueueWriter",
    "ProcessWriter",
    "QueueWriter",
    "RemoveOld",
    "SimpleWriter",
    "StandardWriter",
    "ThreadQueueWriter",
    "ThreadWriter",
    "Writer",
]

SaveFunction = Callable[..., object]


class RemoveOld:
    """Called when a snapshot has been written, in whichever process: removes those that are not to be kept any more.

    Args:
        store: The snapshots.
    """

    def __init__(self, store: SnapshotStore) -> None:
        self._store = store

    def __call__(self, written: str | None = None) -> None:
        """Remove them.

        Args:
            written: The file's name; None, where a writer of a program's own calls: that of the newest.
        """
        names = [written] if written is not None else [file.path.name for file in self._store.find()[:1]]
        for name in names:
            self._store.remove_old(self._store.folder / name)


class Writer:
    """The base: a derived class defines `__call__`, and calls `save`."""

    def __init__(self) -> None:
        self._post_save_hooks: list[Callable[[], object]] = []

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Write, or have it written."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__(filename, outdir, target)")

    def __del__(self) -> None:
        self.finalize()

    def finalize(self) -> None:
        """Wait for what is being written."""

    def save(self, filename: str, outdir: str, target: Any, savefun: SaveFunction, **kwds: Any) -> None:
        """Write a file whole or not at all."""
        with atomic_path(os.path.join(outdir, filename)) as path:
            savefun(str(path), target, **kwds)
        for hook in self._post_save_hooks:
            if isinstance(hook, RemoveOld):
                hook(filename)
            else:
                hook()

    def _add_cleanup_hook(self, hook_fun: Callable[[], object]) -> None:
        self._post_save_hooks.append(hook_fun)


class SimpleWriter(Writer):
    """Writes at once.

    Args:
        savefun: Called with a path, the arrays, and `kwds`.
    """

    def __init__(self, savefun: SaveFunction = save_npz, **kwds: Any) -> None:
        super().__init__()
        self._savefun = savefun
        self._kwds = kwds

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Write."""
        self.save(filename, outdir, target, self._savefun, **self._kwds)


class StandardWriter(Writer):
    """Has each file written by a thread or a process of its own; waits for the one before."""

    _worker: Any = None

    def __init__(self, savefun: SaveFunction = save_npz, **kwds: Any) -> None:
        super().__init__()
        self._savefun = savefun
        self._kwds = kwds

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Have it written."""
        self.finalize()
        self._worker = self.create_worker(filename, outdir, target, **self._kwds)
        self._worker.start()

    def create_worker(self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """What writes: it has `start` and `join`."""
        raise NotImplementedError(f"{type(self).__name__} must define create_worker(filename, outdir, target)")

    def finalize(self) -> None:
        """Wait for what is being written."""
        if self._worker is not None:
            self._worker.join()
            self._worker = None


class ThreadWriter(StandardWriter):
    """Writes in a thread."""

    def create_worker(self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """A thread."""
        return threading.Thread(target=self.save, args=(filename, outdir, target, self._savefun), kwargs=kwds)


class ProcessWriter(StandardWriter):
    """Writes in a process."""

    def create_worker(self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """A process."""
        arguments = (filename, outdir, target, self._savefun)
        return multiprocessing.get_context("fork").Process(target=self.save, args=arguments, kwargs=kwds)


class QueueWriter(Writer):
    """Puts what is to be written into a queue, which a thread or a process empties.

    Args:
        savefun: Called with a path and the arrays.
        task: Writes: called as a writer is. A `SimpleWriter` if None.
    """

    _queue: Any = None
    _consumer: Any = None

    def __init__(self, savefun: SaveFunction = save_npz, task: Any = None) -> None:
        super().__init__()
        self._task = self.create_task(savefun) if task is None else task
        self._queue = self.create_queue()
        self._consumer = self.create_consumer(self._queue)
        self._consumer.start()

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Have it written."""
        self._queue.put([self._task, filename, outdir, target])

    def create_task(self, savefun: SaveFunction) -> Any:
        """What writes."""
        return SimpleWriter(savefun=savefun)

    def create_queue(self) -> Any:
        """The queue."""
        raise NotImplementedError(f"{type(self).__name__} must define create_queue()")

    def create_consumer(self, q: Any) -> Any:
        """What calls `consume`: it has `start` and `join`."""
        raise NotImplementedError(f"{type(self).__name__} must define create_consumer(q)")

    def consume(self, q: Any) -> None:
        """Write what is in the queue, until None is."""
        while (found := q.get()) is not None:
            task, filename, outdir, target = found
            task(filename, outdir, target)
            q.task_done()
        q.task_done()

    def finalize(self) -> None:
        """Wait until the queue is empty."""
        if self._consumer is not None:
            self._queue.put(None)
            self._queue.join()
            self._consumer.join()
            self._consumer = None

    def _add_cleanup_hook(self, hook_fun: Callable[[], object]) -> None:
        if hasattr(self._task, "_add_cleanup_hook"):
            self._task._add_cleanup_hook(hook_fun)


class ThreadQueueWriter(QueueWriter):
    """Writes in one thread."""

    def create_queue(self) -> Any:
        """Of this process."""
        return queue.Queue()

    def create_consumer(self, q: Any) -> Any:
        """A thread."""
        return threading.Thread(target=self.consume, args=(q,))


class ProcessQueueWriter(QueueWriter):
    """Writes in one process."""

    def create_queue(self) -> Any:
        """Between processes."""
        return multiprocessing.get_context("fork").JoinableQueue()

    def create_consumer(self, q: Any) -> Any:
        """A process."""
        return multiprocessing.get_context("fork").Process(target=self.consume, args=(q,))
