"""``snapshot_writers``: how and when the file of a snapshot is written.

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
    """Removes old snapshots after a new one has been written, in any process.

    Args:
        store: Store of the snapshots.
    """

    def __init__(self, store: SnapshotStore) -> None:
        self._store = store

    def __call__(self, written: str | None = None) -> None:
        """Remove the old snapshots.

        Args:
            written: Name of the new file; None (from a program's own writer) means the newest file.
        """
        names = [written] if written is not None else [file.path.name for file in self._store.find()[:1]]
        for name in names:
            self._store.remove_old(self._store.folder / name)


class Writer:
    """Base class of writers: a subclass defines `__call__`, which calls `save`."""

    def __init__(self) -> None:
        self._post_save_hooks: list[Callable[[], object]] = []

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Write the file, now or later."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__(filename, outdir, target)")

    def __del__(self) -> None:
        self.finalize()

    def finalize(self) -> None:
        """Wait until all files are written."""

    def save(self, filename: str, outdir: str, target: Any, savefun: SaveFunction, **kwds: Any) -> None:
        """Write a file atomically."""
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
    """Writes at once, in the same thread.

    Args:
        savefun: Called with a path, the arrays, and `kwds`.
    """

    def __init__(self, savefun: SaveFunction = save_npz, **kwds: Any) -> None:
        super().__init__()
        self._savefun = savefun
        self._kwds = kwds

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Write the file."""
        self.save(filename, outdir, target, self._savefun, **self._kwds)


class StandardWriter(Writer):
    """Writes each file in a new thread or process, after the previous one has finished."""

    _worker: Any = None

    def __init__(self, savefun: SaveFunction = save_npz, **kwds: Any) -> None:
        super().__init__()
        self._savefun = savefun
        self._kwds = kwds

    def __call__(self, filename: str, outdir: str, target: Any) -> None:
        """Start writing the file."""
        self.finalize()
        self._worker = self.create_worker(filename, outdir, target, **self._kwds)
        self._worker.start()

    def create_worker(self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """Return the worker, with methods `start` and `join`."""
        raise NotImplementedError(f"{type(self).__name__} must define create_worker(filename, outdir, target)")

    def finalize(self) -> None:
        """Wait until all files are written."""
        if self._worker is not None:
            self._worker.join()
            self._worker = None


class ThreadWriter(StandardWriter):
    """Writes each file in a thread."""

    def create_worker(self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """Return a thread."""
        return threading.Thread(target=self.save, args=(filename, outdir, target, self._savefun), kwargs=kwds)


class ProcessWriter(StandardWriter):
    """Writes each file in a process."""

    def create_worker(self, filename: str, outdir: str, target: Any, **kwds: Any) -> Any:
        """Return a process."""
        arguments = (filename, outdir, target, self._savefun)
        return multiprocessing.get_context("fork").Process(target=self.save, args=arguments, kwargs=kwds)


class QueueWriter(Writer):
    """Puts files into a queue; a thread or process writes them.

    Args:
        savefun: Called with a path and the arrays.
        task: Writer that the consumer calls. A `SimpleWriter` if None.
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
        """Put the file into the queue."""
        self._queue.put([self._task, filename, outdir, target])

    def create_task(self, savefun: SaveFunction) -> Any:
        """Return the writer that the consumer calls."""
        return SimpleWriter(savefun=savefun)

    def create_queue(self) -> Any:
        """Return the queue."""
        raise NotImplementedError(f"{type(self).__name__} must define create_queue()")

    def create_consumer(self, q: Any) -> Any:
        """Return the worker that calls `consume`, with methods `start` and `join`."""
        raise NotImplementedError(f"{type(self).__name__} must define create_consumer(q)")

    def consume(self, q: Any) -> None:
        """Write the files in the queue until it yields None."""
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
    """Writes files in one thread."""

    def create_queue(self) -> Any:
        """Return a queue within this process."""
        return queue.Queue()

    def create_consumer(self, q: Any) -> Any:
        """Return a thread."""
        return threading.Thread(target=self.consume, args=(q,))


class ProcessQueueWriter(QueueWriter):
    """Writes files in one process."""

    def create_queue(self) -> Any:
        """Return a queue between processes."""
        return multiprocessing.get_context("fork").JoinableQueue()

    def create_consumer(self, q: Any) -> Any:
        """Return a process."""
        return multiprocessing.get_context("fork").Process(target=self.consume, args=(q,))
