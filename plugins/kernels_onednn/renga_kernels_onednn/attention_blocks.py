"""Attention over long sequences, block by block. A block is some queries of one head with the keys that they may see.

Scores of a block are computed, used and overwritten; backward computes them again. So no array has an element for each
pair of a query and a key.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address
from renga_core.backend import Array
from renga_core.kernel import operations
from renga_kernels_onednn.cache import find
from renga_kernels_onednn.library import SOFTMAX
from renga_kernels_onednn.product import multiply
from renga_kernels_onednn.softmax import plan_of_gradient, plan_of_softmax

__all__ = ["Blocks"]

_SCORES = 1 << 20
"""Scores of a block: 4 MiB. A smaller block fits a core's cache, but products of so few rows are slow: with
1 << 18, a gradient for sequences of 4,096 takes 1.3 times as long."""

_WIDTHS = 16
"""Number of different block widths with causal masks: each needs its own primitives."""

_Place = tuple[Any, ...]


class Blocks:
    """The blocks of one call of operation ``scaled_dot_product_attention``, with the arguments of the operation.

    Args:
        query, key, value: ``(..., T, D)``, ``(..., S, D)`` and ``(..., S, E)``.
        mask: An array that broadcasts to ``(..., T, S)``, or None.
        keep: Factors of the weights (dropout), ``(..., T, S)``, or None.
        causal: Whether later keys are hidden.
        scale: Factor of the products.
    """

    def __init__(
        self, query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
    ) -> None:
        self._arguments = query, key, value, mask, keep, causal, scale
        self._query, self._key, self._value = query, key, value
        shape = (*query.shape[:-1], key.shape[-2])
        self._mask = None if mask is None else np.broadcast_to(mask, shape)
        self._keep, self._causal, self._scale = keep, causal, np.float32(scale)
        self._step = max(1, _SCORES // key.shape[-2])
        # Memory for the weights of a block, and for their gradients.
        self._memory = [np.empty(min(self._step, query.shape[-2]) * key.shape[-2], np.float32) for _ in range(2)]

    def forward(self) -> Array:
        """The weighted means."""
        y = np.empty((*self._query.shape[:-1], self._value.shape[-1]), np.float32)
        for rows, keys in self._places():
            weights = self._weights(rows, keys)
            if weights is None:
                # As in `softmax`: NaN and infinity must stay visible.
                right: Array = operations["scaled_dot_product_attention"].reference.forward(*self._arguments)[0]
                return right
            if self._keep is not None:
                weights *= self._keep[(*rows, keys[-1])]
            multiply(weights, self._value[keys], y[rows])
        return y

    def backward(self, y: Array, gy: Array) -> tuple[Array, Array, Array]:
        """Gradients of query, key and value."""
        gq = np.empty(self._query.shape, np.float32)
        gk, gv = (np.zeros(x.shape, np.float32) for x in (self._key, self._value))
        for rows, keys in self._places():
            weights = self._weights(rows, keys)
            if weights is None:
                reference = operations["scaled_dot_product_attention"].reference
                assert reference.backward is not None
                right: tuple[Array, Array, Array] = reference.backward(*self._arguments, y, (), gy)
                return right
            gradient = self._memory[1][: weights.size].reshape(weights.shape)
            multiply(gy[rows], self._value[keys].T, gradient)
            dropped = weights
            if self._keep is not None:
                keep = self._keep[(*rows, keys[-1])]
                gradient *= keep
                dropped = weights * keep
            multiply(dropped.T, gy[rows], gv[keys], True)
            find(gradient.size, plan_of_gradient, SOFTMAX, gradient.shape, 1)(
                address(weights), address(gradient), address(gradient)
            )
            gradient *= self._scale
            multiply(gradient, self._key[keys], gq[rows])
            multiply(gradient.T, self._query[rows], gk[keys], True)
        return gq, gk, gv

    def _places(self) -> Iterator[tuple[_Place, _Place]]:
        """Slices of the rows of a block, and of the keys that they may see."""
        *front, length, _ = self._query.shape
        number = self._key.shape[-2]
        width = -(-number // _WIDTHS)
        for at in np.ndindex(*front):
            for start in range(0, length, self._step):
                stop = min(start + self._step, length)
                seen = min(-(-stop // width) * width, number) if self._causal else number
                yield (*at, slice(start, stop)), (*at, slice(0, seen))

    def _weights(self, rows: _Place, keys: _Place) -> Array | None:
        """The softmax of a block's scores; None if one is NaN or infinite."""
        query, key = self._query[rows], self._key[keys]
        weights = self._memory[0][: len(query) * len(key)].reshape(len(query), len(key))
        multiply(query * self._scale, key.T, weights)
        mask = None if self._mask is None else self._mask[(*rows, keys[-1])]
        if mask is not None:
            if mask.dtype == bool:
                np.copyto(weights, -np.inf, where=~mask)
            else:
                weights += mask
        if self._causal:
            first = rows[-1].start
            later = weights[:, first:]
            np.copyto(later, -np.inf, where=np.arange(len(query))[:, None] < np.arange(later.shape[1]))
        if not weights.max() < inf:
            return None
        blind = None if mask is None else weights.max(axis=-1, keepdims=True) == -np.inf
        find(weights.size, plan_of_softmax, SOFTMAX, weights.shape, 1)(address(weights), address(weights))
        if blind is not None:
            np.copyto(weights, 0, where=blind)
        return weights
