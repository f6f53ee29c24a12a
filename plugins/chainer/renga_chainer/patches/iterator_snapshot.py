"""Snapshots of iterators with Chainer's names: the order, without seed or state of the sampler."""

from __future__ import annotations

from typing import Any

from renga_core.serializers import AbstractSerializer, Deserializer
from renga_data.iterators import MultithreadIterator
from renga_data.iterators.ordered import IteratorState, OrderedIterator
from renga_data.iterators.prefetching import PrefetchingIterator

__all__ = ["ADDITIONS"]


def serialize(self: OrderedIterator, serializer: AbstractSerializer) -> None:
    """Save the position of the iterator, or restore it.

    Raises:
        KeyError: This iterator has an order, but the saved one had none.
    """
    state = self._state
    position = serializer("current_position", state.position)
    epoch = serializer("epoch", state.epoch)
    is_new_epoch = serializer("is_new_epoch", state.is_new_epoch)
    order = None if state.order is None else state.order.copy()
    if isinstance(self, MultithreadIterator):
        order = serializer("_order", order)
    elif order is not None:
        try:
            order = serializer("order", order)
        except KeyError:
            order = serializer("_order", order)
    try:
        previous = serializer("previous_epoch_detail", state.previous_epoch_detail)
    except KeyError:  # a file of an older version
        size = self._epoch_size(order)
        previous = max(epoch + (position - self.batch_size) / size, 0.0) if epoch or position else -1.0
    if isinstance(serializer, Deserializer):
        previous = -1.0 if previous is None else float(previous)
        self._return_to(IteratorState(position, epoch, bool(is_new_epoch), previous, order, state.sampler_state))
    elif isinstance(self, PrefetchingIterator):
        # Chainer recomputes the next batch; if an epoch begins with it, it draws a new order.
        self._return_to(state)


ADDITIONS: list[tuple[type, str, Any]] = [(OrderedIterator, "serialize", serialize)]
