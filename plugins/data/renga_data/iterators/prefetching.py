"""Prefetching: the next batches are made while the current one is in use."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from concurrent.futures import Future
from itertools import pairwise
from typing import Any, Generic, TypeVar

from renga_data.iterators.interruptible_wait import PATIENCE, wait_for
from renga_data.iterators.ordered import IteratorState, OrderedIterator

__all__ = ["PrefetchingIterator", "shares"]

Ticket = TypeVar("Ticket")


class PrefetchingIterator(OrderedIterator, Generic[Ticket]):
    """Base of iterators that let others make batches ahead of time.

    Each ordered batch has the `IteratorState` that follows its use. The iterator's position is that of its user, not of
    the workers: if it is saved, no batch made ahead is lost or repeated.

    A subclass defines `_order`, `_receive`, `_cancel` and `_stop`. After `_stop` the iterator can be used again: it
    keeps its position, and starts workers again. `n_prefetch` is the number of batches to prepare ahead.
    """

    n_prefetch: int
    _ahead: deque[tuple[IteratorState, Ticket]]
    _finalizing: bool

    def __next__(self) -> list[Any]:
        with self._alone():
            try:
                self._order_ahead()
                if not self._ahead:
                    raise StopIteration
                state, ticket = self._ahead[0]
                batch = self._receive(ticket)
            except BaseException:
                self._return_to(self._state)
                raise
            self._ahead.popleft()
            self._arrive(state)
            return batch

    def finalize(self) -> None:
        """Stop the workers. If the iterator is used again, it starts them again, and continues at its position.

        Workers that have not finished after a few seconds are abandoned or killed. A thread that waits for a batch
        meanwhile gets a RuntimeError.
        """
        if not hasattr(self, "_state"):  # the arguments were invalid
            return
        self._alone()
        self._finalizing = True
        with self._lock:
            self._finalizing = False
            self._return_to(self._state)
            self._stop(PATIENCE)

    @abstractmethod
    def _stop(self, patience: float) -> None:
        """End the workers, but wait no longer than this number of seconds."""

    @abstractmethod
    def _order(self, indices: list[int], number: int) -> Ticket:
        """Order the examples with these indexes; `number` earlier ones were counted from epoch 0."""

    @abstractmethod
    def _receive(self, ticket: Ticket) -> list[Any]:
        """Wait for the examples."""

    @abstractmethod
    def _cancel(self, ticket: Ticket) -> None:
        """Cancel the examples."""

    def _order_ahead(self) -> None:
        """Order batches until the next one and `n_prefetch` more are ordered, or the end is reached."""
        while len(self._ahead) <= self.n_prefetch:
            before = self._ahead[-1][0] if self._ahead else self._state
            step = self._advance(before)
            if step is None:
                return
            self._ahead.append((step.state, self._order(step.indices, step.number)))

    def _forget(self) -> None:
        while self._ahead:
            self._cancel(self._ahead.pop()[1])

    def _own_nothing(self) -> None:
        super()._own_nothing()
        self._ahead = deque()
        self._finalizing = False

    def _await(self, future: Future[Any]) -> None:
        """Wait until a worker has answered; see `wait_for`."""
        wait_for(future, self._look)

    def _look(self) -> None:
        """Called from time to time while waiting for a batch."""
        if self._finalizing:
            raise RuntimeError(f"{type(self).__name__} was finalized by another thread while this thread waited for it")


def shares(indices: list[int], n: int) -> list[list[int]]:
    """Divide a batch among `n` workers, in order and as evenly as possible; fewer shares if there are fewer indexes."""
    n = max(1, min(n, len(indices)))
    bounds = [len(indices) * i // n for i in range(n + 1)]
    return [indices[begin:end] for begin, end in pairwise(bounds)]
