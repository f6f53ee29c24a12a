"""`ShuffleOrderSampler` and the iterators' own shuffling draw from NumPy's global generator when they are called.

Its state is not the sampler's: neither `reset` nor a snapshot of an iterator puts it back. An iterator may be given
another sampler.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_data.iterators import ShuffleOrderSampler
from renga_data.iterators.ordered import IteratorState, OrderedIterator

__all__ = ["ADDITIONS"]

GLOBAL = np.random.mtrand._rand
"""The `RandomState` behind ``np.random.permutation``."""

_get_state = ShuffleOrderSampler.get_state
_init = OrderedIterator.__init__
_advance = OrderedIterator._advance


def make_sampler(self: ShuffleOrderSampler, random_state: Any = None) -> None:
    """Like Renga's, but with NumPy's global generator by default, and any object with a method `permutation`."""
    if isinstance(random_state, (int, np.integer)):
        random_state = np.random.RandomState(random_state)
    self._generator = GLOBAL if random_state is None else random_state


def get_state(self: ShuffleOrderSampler) -> dict[str, Any]:
    """Nothing if it is the global generator."""
    return {} if self._generator is GLOBAL else _get_state(self)


def copy_sampler(self: ShuffleOrderSampler, memo: Any) -> ShuffleOrderSampler:
    """Itself: a copy of an iterator goes on to share its generator."""
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
    """Like Renga's, but an order is also drawn where the only epoch ends: numbers drawn later depend on it."""
    found = _advance(self, state)
    if found is not None and not self.repeat and found[0].is_new_epoch:
        self._sample(state.order, state.position)
    return found


def set_sampler(self: OrderedIterator, sampler: Any) -> None:
    """Draw the orders of later epochs from another one; `reset` for that of this one."""
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
