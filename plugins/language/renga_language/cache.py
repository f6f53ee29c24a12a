"""Cache of the keys and values of earlier tokens, so that each is computed only once."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable

__all__ = ["Cache"]


class Cache:
    """Keys and values of each layer, for a text that is read in parts.

    The first call allocates memory for all tokens. No gradient flows into a cache.

    Args:
        capacity: Largest number of tokens.

    Attributes:
        length: Number of tokens in the cache.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.length = 0
        self._layers: list[tuple[Array, Array]] = []

    def extend(self, layer: int, key: Variable, value: Variable) -> tuple[Array, Array]:
        """Append keys and values ``(N, heads, T, D)`` of one layer; return all of it, ``(N, heads, length + T, D)``.

        Raises:
            ValueError: The cache is full.
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
