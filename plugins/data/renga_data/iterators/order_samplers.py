"""In which order the examples of an epoch come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_core import random

__all__ = ["OrderSampler", "ShuffleOrderSampler"]

Indices = np.ndarray[Any, np.dtype[np.intp]]


class OrderSampler:
    """Gives the order of each epoch. Any function with the arguments of `__call__` serves as one, too.

    An iterator that works ahead calls it ahead. One whose result depends on more than its arguments therefore needs
    `get_state` and `set_state`, or an epoch's order is not what it was after a resume.
    """

    def __call__(self, current_order: Indices, current_position: int) -> Indices:
        """Return the order of the next epoch.

        Args:
            current_order: Order of the epoch that ends; before the first one 0, 1, …, n - 1 for n examples.
            current_position: Where in it the last batch begins (0 before the first epoch): the examples from there on
                may share a batch with the first ones of the next epoch.

        Returns:
            Indices of examples. All epochs have equally many.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __call__(current_order, current_position)")

    def get_state(self) -> dict[str, Any]:
        """What the next call depends on, as data that JSON can hold."""
        return {}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take over what `get_state` returned."""
        return


class ShuffleOrderSampler(OrderSampler):
    """A new random permutation for each epoch.

    Args:
        random_state: A seed, or a generator to draw from. Default: a generator of its own (PCG64), seeded by
            `renga_core.random`, so that one seed decides the whole run.
    """

    def __init__(self, random_state: int | np.random.Generator | np.random.RandomState | None = None) -> None:
        if random_state is None:
            random_state = random.spawn_seed()
        if not isinstance(random_state, (np.random.Generator, np.random.RandomState)):
            random_state = np.random.Generator(np.random.PCG64(random_state))
        self._generator = random_state

    def __call__(self, current_order: Indices, current_position: int) -> Indices:
        """Return a permutation of 0, 1, …, n - 1, where n is the length of `current_order`."""
        return self._generator.permutation(len(current_order))

    def get_state(self) -> dict[str, Any]:
        """State of the generator."""
        state: Mapping[str, Any]
        if isinstance(self._generator, np.random.RandomState):
            state = self._generator.get_state(legacy=False)
        else:
            state = self._generator.bit_generator.state
        return {key: _plain(value) for key, value in state.items()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Put the generator into a state. Raises ValueError if it is that of another kind of generator."""
        if isinstance(self._generator, np.random.RandomState):
            self._generator.set_state(dict(state))
        else:
            self._generator.bit_generator.state = dict(state)


def _plain(value: Any) -> Any:
    """`value` with lists in place of arrays (PCG64 has none, but the state of some other generators has)."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value
