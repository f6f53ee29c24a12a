"""`MultiprocessIterator`: processes make examples ahead of time."""

from __future__ import annotations

import multiprocessing
import os
import time
import warnings
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import resource_tracker
from typing import Any, NamedTuple

from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Dataset
from renga_data.iterators import worker
from renga_data.iterators.errors import StalledDatasetWarning, WorkerDied
from renga_data.iterators.examples import finish_examples
from renga_data.iterators.interruptible_wait import PATIENCE, StoppedWaiting, wait_for
from renga_data.iterators.ordered import Sampler
from renga_data.iterators.prefetching import PrefetchingIterator, shares
from renga_data.iterators.process_pool import ProcessPool
from renga_data.iterators.shared_memory import Packet, Slot, unpack

__all__ = ["MultiprocessIterator"]


class _Part(NamedTuple):
    """A share of a batch that is being made, with its shared memory."""

    packet: Future[Packet]
    slot: Slot | None


class MultiprocessIterator(PrefetchingIterator[list[_Part]]):
    """Lets processes make the next batches while the current one is in use.

    It yields the same batches as `SerialIterator`. Use it if making an example needs much computation in Python.
    Processes start with the first batch. They end with `finalize`, and when this process ends, even by SIGKILL. A
    process that hangs is killed after a few seconds.

    In a worker, `renga_core.random` and Python's `random` are seeded for each example. So random transforms that use
    them are reproducible with any number of processes.

    Args:
        dataset, batch_size, repeat, shuffle, order_sampler, seed, communicator: See `OrderedIterator`. The data set is
            pickled, unless processes are forked.
        n_processes: Number of processes, which share each batch. Default: the number of CPUs that this process may use.
        n_prefetch: Number of batches to prepare ahead.
        shared_mem: Bytes of shared memory for the arrays of an example; larger examples are sent through a pipe. None:
            as much as needed, if available; 0: send everything through the pipe.
        dataset_timeout: Seconds until a warning about a late batch; None: no warning.
        maxtasksperchild: Replace the processes after each has made about this many examples, for data sets that leak
            memory.
        start_method: ``"fork"``, ``"spawn"`` or ``"forkserver"``; None: the default of `multiprocessing`. Do not fork a
            process whose other threads may hold locks, or that uses MPI.

    Attributes:
        TimeoutWarning: The class of the warning for `dataset_timeout`: `StalledDatasetWarning`.

    Raises:
        WorkerDied: From ``next``: a process has ended unexpectedly. The iterator keeps its position and can continue.
        OSError: From ``next``: less shared memory is available than `shared_mem` requires.
    """

    TimeoutWarning = StalledDatasetWarning
    _pool: ProcessPool | None

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int,
        repeat: bool = True,
        shuffle: bool | None = None,
        n_processes: int | None = None,
        n_prefetch: int = 1,
        shared_mem: int | None = None,
        order_sampler: Sampler | None = None,
        dataset_timeout: float | None = 30.0,
        maxtasksperchild: int | None = None,
        *,
        start_method: str | None = None,
        seed: int | None = None,
        communicator: CommunicatorBase | None = None,
    ) -> None:
        for name, value, least in (
            ("n_processes", n_processes, 1),
            ("n_prefetch", n_prefetch, 0),
            ("shared_mem", shared_mem, 0),
            ("maxtasksperchild", maxtasksperchild, 1),
        ):
            if value is not None and value < least:
                raise ValueError(f"{name} must be at least {least}, not {value}")
        super().__init__(dataset, batch_size, repeat, shuffle, order_sampler, seed=seed, communicator=communicator)
        self.n_processes = n_processes or len(os.sched_getaffinity(0))
        self.n_prefetch = n_prefetch
        self.shared_mem = shared_mem
        self.dataset_timeout = dataset_timeout
        self.maxtasksperchild = maxtasksperchild
        self._context = multiprocessing.get_context(start_method)

    def __next__(self) -> list[Any]:
        try:
            return super().__next__()
        except StoppedWaiting:
            self._stop(0.0)
            raise
        except BrokenProcessPool as error:
            self.finalize()
            raise WorkerDied(
                f"a worker process of {type(self).__name__} ended while making examples of a "
                f"{type(self.dataset).__qualname__}: it was killed (by the system, if memory ran out), or crashed in "
                "native code (then standard error says where), or left by os._exit. The iterator is where it was; "
                "the next call starts new processes. SerialIterator makes the same examples in this process, which is "
                "easier to debug."
            ) from error

    def _order(self, indices: list[int], number: int) -> list[_Part]:
        pool = self._ready_pool(len(indices))
        parts = []
        for share in shares(indices, self.n_processes):
            slot = self._borrow_slot()
            address = None if slot is None else slot.address
            with worker.signals_blocked():  # this may start a new process
                packet = pool.submit(worker.make_examples, share, self._seed + number, address)
            parts.append(_Part(packet, slot))
            number += len(share)
        return parts

    def _receive(self, parts: list[_Part]) -> list[Any]:
        read = []
        for packet, slot in parts:
            self._await(packet)
            read += unpack(packet.result(), slot)
        # Not sooner: if a part has failed, `_cancel` returns the slots of all parts.
        for part in parts:
            self._return_slot(part.slot)
        return finish_examples(self.dataset, read)

    def _cancel(self, parts: list[_Part]) -> None:
        # They are made anyway, unless the pool is shut down. If cancelled, Python's pool would not shut down properly
        # when a process dies.
        for packet, slot in parts:
            # A worker may still be writing to the slot: it is free afterwards.
            packet.add_done_callback(partial(self._return_slot, slot))

    def _own_nothing(self) -> None:
        super()._own_nothing()
        self._own_no_helpers()

    def _own_no_helpers(self) -> None:
        self._pool = None
        self._made = 0
        self._slots: list[Slot] = []
        self._free_slots: list[Slot] = []

    def _stop(self, patience: float) -> None:
        if self._pool is None:
            return
        self._pool.end(patience)
        for slot in self._slots:
            slot.free()
        self._own_no_helpers()

    def _ready_pool(self, orders: int) -> ProcessPool:
        """The pool for the next `orders` examples."""
        if self._pool is not None and self.maxtasksperchild and self._made >= self.maxtasksperchild * self.n_processes:
            for _, parts in self._ahead:
                for part in parts:
                    self._await(part.packet)
            self._pool.end(PATIENCE)
            self._pool = None
        if self._pool is None:
            if self._context.get_start_method() != "fork":
                # The first worker would start Python's resource tracker, which unblocks Ctrl-C before the worker
                # exists.
                with worker.signals_blocked():
                    resource_tracker.ensure_running()
            self._pool = ProcessPool(self.n_processes, self._context, worker.begin, (self.dataset,))
            self._made = 0
        self._made += orders
        return self._pool

    def _borrow_slot(self) -> Slot | None:
        if self.shared_mem == 0:
            return None
        if not self._free_slots:
            examples = -(-self.batch_size // self.n_processes)
            slot = Slot(len(self._slots), examples * (self.shared_mem or 0), fixed=self.shared_mem is not None)
            self._slots.append(slot)
            return slot
        return self._free_slots.pop()

    def _return_slot(self, slot: Slot | None, _done: Future[Packet] | None = None) -> None:
        if slot is not None:
            self._free_slots.append(slot)

    def _await(self, packet: Future[Packet]) -> None:
        assert self._pool is not None  # the pool is making the packet
        watch = _Watch(self, self._pool)
        wait_for(packet, watch, watch.patience)


class _Watch:
    """Checks the workers while waiting for a packet.

    Attributes:
        patience: Seconds between warnings.
    """

    def __init__(self, iterator: MultiprocessIterator, pool: ProcessPool) -> None:
        self._iterator = iterator
        self._pool = pool
        self._died_before = False
        self.patience = float("inf") if iterator.dataset_timeout is None else iterator.dataset_timeout
        self._warn_at = time.monotonic() + self.patience

    def __call__(self) -> None:
        self._iterator._look()
        # Usually the pool notices a dead process too and ends the wait, but not always.
        died = self._pool.has_dead_worker()
        if died and self._died_before:
            self._pool.kill()
        self._died_before = died
        if time.monotonic() >= self._warn_at:
            self._warn_at += self.patience
            warnings.warn(
                f"no examples from the workers for {self.patience} s: a {type(self._iterator.dataset).__qualname__} "
                "is slow or hangs. Raise dataset_timeout if it may take so long.",
                StalledDatasetWarning,
                stacklevel=7,
            )
