"""Working ahead: the next batches are being made while the user is busy with the present one."""

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
    """Base of iterators that have batches made elsewhere, ahead of time.

    Each batch ordered travels with the `IteratorState` that its use leads to. The iterator is where its user is, not
    where the work is: saved in between, it neither loses nor repeats the batches that were made and not yet used.

    A derived class defines `_order`, `_receive`, `_cancel` and `_stop`, after which the iterator may be used again: it
    is where it was, and starts its helpers anew. `n_prefetch` is the number of batches to be ahead.
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
        """Stop the helpers. They start again if the iterator is used again, which goes on from where it was.

        Those that have not finished what they are at after a few seconds are left alone, or killed. A thread that waits
        for a batch meanwhile gets a RuntimeError.
        """
        if not hasattr(self, "_state"):  # the arguments were refused
            return
        self._alone()
        self._finalizing = True
        with self._lock:
            self._finalizing = False
            self._return_to(self._state)
            self._stop(PATIENCE)

    @abstractmethod
    def _stop(self, patience: float) -> None:
        """End the helpers; those that take longer than so many seconds are not waited for."""

    @abstractmethod
    def _order(self, indices: list[int], number: int) -> Ticket:
        """Have the examples with these indices made; `number` others come before them, counted from epoch 0."""

    @abstractmethod
    def _receive(self, ticket: Ticket) -> list[Any]:
        """Wait for the examples."""

    @abstractmethod
    def _cancel(self, ticket: Ticket) -> None:
        """The examples will not be asked for."""

    def _order_ahead(self) -> None:
        """Order batches until the next one and `n_prefetch` more are under way, or the end is reached."""
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
        """Wait until a helper has answered; see `wait_for`."""
        wait_for(future, self._look)

    def _look(self) -> None:
        """Called now and then while a batch is waited for."""
        if self._finalizing:
            raise RuntimeError(f"{type(self).__name__} was finalized by another thread while this one waited for it")


def shares(indices: list[int], n: int) -> list[list[int]]:
    """Divide a batch among `n` helpers, in order and as evenly as possible; fewer shares if there are fewer indices."""
    n = max(1, min(n, len(indices)))
    bounds = [len(indices) * i // n for i in range(n + 1)]
    return [indices[begin:end] for begin, end in pairwise(bounds)]
