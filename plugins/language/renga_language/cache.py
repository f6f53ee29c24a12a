"""Keys and values of the tokens that a model has read, so that they are computed once."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable

__all__ = ["Cache"]


class Cache:
    """Keys and values of each layer, for texts that are read token by token.

    Memory for all tokens is taken at the first one. No gradient flows into a cache.

    Args:
        capacity: How many tokens there is room for.

    Attributes:
        length: How many tokens have been read.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.length = 0
        self._layers: list[tuple[Array, Array]] = []

    def extend(self, layer: int, key: Variable, value: Variable) -> tuple[Array, Array]:
        """Append keys and values ``(N, heads, T, D)`` of a layer; all of that layer ``(N, heads, length + T, D)``.

        Raises:
            ValueError: There is no room.
        """
        if layer == len(self._layers):
            self._layers.append((self._empty(key), self._empty(value)))
        stop = self.length + key.shape[2]
        if stop > self.capacity:
            raise ValueError(f"Cache: {stop} tokens do not fit into a cache for {self.capacity}")
        found = []
        for whole, new in zip(self._layers[layer], (key, value), strict=True):
            whole[:, :, self.length : stop] = new.array
            found.append(whole[:, :, :stop])
        return found[0], found[1]

    def _empty(self, x: Any) -> Array:
        rows, heads, _, size = x.shape
        return x.xp.empty((rows, heads, self.capacity, size), dtype=x.dtype)
