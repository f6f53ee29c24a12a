"""`ShuffleOrderSampler` and shuffling iterators draw from NumPy's global generator at each call.

The state of the generator does not belong to the sampler: `reset` and snapshots do not restore it. An iterator may use
another sampler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_data.iterators import ShuffleOrderSampler
from renga_data.iterators.ordered import IteratorState, OrderedIterator

__all__ = ["ADDITIONS"]

GLOBAL = np.random.mtrand._rand
"""The `RandomState` of ``np.random.permutation``."""

_get_state = ShuffleOrderSampler.get_state
_init = OrderedIterator.__init__
_advance = OrderedIterator._advance


def make_sampler(self: ShuffleOrderSampler, random_state: Any = None) -> None:
    """Like Renga's, but with NumPy's global generator by default, and any object with a method `permutation`."""
    if isinstance(random_state, (int, np.integer)):
        random_state = np.random.RandomState(random_state)
    self._generator = GLOBAL if random_state is None else random_state


def get_state(self: ShuffleOrderSampler) -> dict[str, Any]:
    """None for the global generator."""
    return {} if self._generator is GLOBAL else _get_state(self)


def copy_sampler(self: ShuffleOrderSampler, memo: Any) -> ShuffleOrderSampler:
    """Return this object: a copy of an iterator shares its generator."""
    return self


def make_iterator(
    self: OrderedIterator,
    dataset: Any,
    batch_size: int,
    repeat: bool = True,
    shuffle: bool | None = None,
    order_sampler: Any = None,
    *,
    seed: int | None = None,
    communicator: Any = None,
) -> None:
    """Like Renga's, but the order is drawn from the global generator unless there is a `seed`."""
    if seed is None and order_sampler is None and shuffle is not False:
        shuffle, order_sampler = None, ShuffleOrderSampler()
    _init(self, dataset, batch_size, repeat, shuffle, order_sampler, seed=seed, communicator=communicator)


def advance(self: OrderedIterator, state: IteratorState) -> Any:
    """Like Renga's, but also draws an order at the end of the last epoch, because later random numbers depend on it."""
    found = _advance(self, state)
    if found is not None and not self.repeat and found[0].is_new_epoch:
        self._sample(state.order, state.position)
    return found


def set_sampler(self: OrderedIterator, sampler: Any) -> None:
    """Draw the orders of later epochs from another one; `reset` restores the order of this epoch."""
    self._sampler = sampler
    self._arrive(self._state._replace(sampler_state={}))


ADDITIONS: list[tuple[type, str, Any]] = [
    (ShuffleOrderSampler, "__init__", make_sampler),
    (ShuffleOrderSampler, "get_state", get_state),
    (ShuffleOrderSampler, "__deepcopy__", copy_sampler),
    (OrderedIterator, "__init__", make_iterator),
    (OrderedIterator, "_advance", advance),
    (OrderedIterator, "order_sampler", property(lambda self: self._sampler, set_sampler)),
]
