"""`MultithreadIterator`: threads make examples ahead of time."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Dataset
from renga_data.iterators.examples import finish_examples, read_examples
from renga_data.iterators.ordered import Sampler
from renga_data.iterators.prefetching import PrefetchingIterator, shares
from renga_data.iterators.thread_pool import DaemonThreadPool

__all__ = ["MultithreadIterator"]

Parts = list[Future[list[Any]]]


class MultithreadIterator(PrefetchingIterator[Parts]):
    """Lets threads make the next batches while the current one is in use.

    It yields the same batches as `SerialIterator`. Use it if making an example waits (for a disk or network) or
    computes outside Python (decoding images, NumPy on large arrays). The data set must support access by several
    threads at once. Threads start with the first batch; `finalize` ends them. Threads that hang end with the program.

    Args:
        dataset, batch_size, repeat, shuffle, order_sampler, seed, communicator: See `OrderedIterator`.
        n_threads: Number of threads, which share each batch.
        n_prefetch: Number of batches to prepare ahead.
    """

    _threads: DaemonThreadPool | None

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int,
        repeat: bool = True,
        shuffle: bool | None = None,
        n_threads: int = 1,
        order_sampler: Sampler | None = None,
        *,
        n_prefetch: int = 1,
        seed: int | None = None,
        communicator: CommunicatorBase | None = None,
    ) -> None:
        if n_threads < 1:
            raise ValueError(f"n_threads must be at least 1, not {n_threads}")
        if n_prefetch < 0:
            raise ValueError(f"n_prefetch must be at least 0, not {n_prefetch}")
        super().__init__(dataset, batch_size, repeat, shuffle, order_sampler, seed=seed, communicator=communicator)
        self.n_threads = n_threads
        self.n_prefetch = n_prefetch

    def _order(self, indices: list[int], number: int) -> Parts:
        if self._threads is None:
            self._threads = DaemonThreadPool(self.n_threads, "renga-data")
        parts = []
        for share in shares(indices, self.n_threads):
            parts.append(self._threads.submit(read_examples, self.dataset, share, self._seed + number))
            number += len(share)
        return parts

    def _receive(self, parts: Parts) -> list[Any]:
        read = []
        for part in parts:
            self._await(part)
            read += part.result()
        return finish_examples(self.dataset, read)

    def _cancel(self, parts: Parts) -> None:
        for part in parts:
            part.cancel()

    def _stop(self, patience: float) -> None:
        if self._threads is not None:
            self._threads.shutdown(patience)
            self._threads = None

    def _own_nothing(self) -> None:
        super()._own_nothing()
        self._threads = None
