"""Order samplers: the order of examples in each epoch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_core import random

__all__ = ["OrderSampler", "ShuffleOrderSampler"]

Indices = np.ndarray[Any, np.dtype[np.intp]]


class OrderSampler:
    """Returns the order of each epoch. A function with the arguments of `__call__` can be used too.

    An iterator that works ahead calls it ahead. So if its result depends on more than its arguments, it needs
    `get_state` and `set_state`; otherwise an epoch's order may change after a resume.
    """

    def __call__(self, current_order: Indices, current_position: int) -> Indices:
        """Return the order of the next epoch.

        Args:
            current_order: Order of the ending epoch; before the first epoch 0, 1, …, n - 1 for n examples.
            current_position: Start of the last batch in this order (0 before the first epoch): later examples may be in
                the same batch as the first ones of the next epoch.

        Returns:
            Indexes of examples. All epochs must have the same number.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __call__(current_order, current_position)")

    def get_state(self) -> dict[str, Any]:
        """The state on which the next call depends, as JSON data."""
        return {}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state that `get_state` returned."""
        return


class ShuffleOrderSampler(OrderSampler):
    """A new random permutation for each epoch.

    Args:
        random_state: A seed, or a generator. Default: its own generator (PCG64), seeded by `renga_core.random`, so that
            one seed determines the whole run.
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
        """Restore the generator's state. Raises ValueError if it belongs to another kind of generator."""
        if isinstance(self._generator, np.random.RandomState):
            self._generator.set_state(dict(state))
        else:
            self._generator.bit_generator.state = dict(state)


def _plain(value: Any) -> Any:
    """`value` with lists in place of arrays (some generators have arrays in their state, PCG64 does not)."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value
