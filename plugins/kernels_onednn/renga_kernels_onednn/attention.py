"""Attention: products of batches of matrices, and a softmax between them, in the memory of the scores."""

from __future__ import annotations

import math

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_core.kernel import operations
from renga_kernels_onednn.attention_blocks import Blocks
from renga_kernels_onednn.cache import find
from renga_kernels_onednn.library import SOFTMAX
from renga_kernels_onednn.product import multiply_batches
from renga_kernels_onednn.softmax import plan_of_gradient, plan_of_softmax

__all__ = ["Attention", "bias_of", "supports"]

_LEAST = 1 << 16
"""Number of multiplications up to which NumPy is as fast; it needs no primitives for each sequence length."""

_ROWS = 8
"""Fewer queries occur in text generation. There the number of keys grows, and each number needs new primitives."""

_FEW = 1 << 22
"""Number of scores computed at once and kept for backward: 16 MiB. For more scores, attention is computed by blocks."""


def supports(
    query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
) -> bool:
    """Whether these are float32 arrays with enough elements."""
    return (
        is_single(query, key, value)
        and query.shape[-2] >= _ROWS
        and query.size * key.shape[-2] > _LEAST
        and (mask is None or mask.dtype in (bool, np.float32))
        and (keep is None or keep.dtype == np.float32)
    )


class Attention:
    """Operation ``scaled_dot_product_attention``.

    Results have the memory order of the queries, keys and values. If a transposition made the heads from one array, the
    transposition that joins them again needs no copy.
    """

    @staticmethod
    def forward(
        query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
    ) -> tuple[Array, tuple[Array, ...]]:
        """See the reference."""
        if math.prod(query.shape[:-1]) * key.shape[-2] > _FEW:
            return Blocks(query, key, value, mask, keep, causal, scale).forward(), ()
        weights = np.empty((*query.shape[:-1], key.shape[-2]), np.float32)
        multiply_batches(query * np.float32(scale), key.swapaxes(-1, -2), weights)
        bias = bias_of(mask, causal, weights.shape)
        if bias is not None:
            weights += bias
        if weights.size and not weights.max() < math.inf:
            # As in `softmax`: NaN and infinity must stay visible.
            reference = operations["scaled_dot_product_attention"].reference
            right: tuple[Array, tuple[Array, ...]] = reference.forward(query, key, value, mask, keep, causal, scale)
            return right
        find(weights.size, plan_of_softmax, SOFTMAX, *_rows(weights))(address(weights), address(weights))
        if bias is not None and mask is not None:
            blind = (bias == -np.inf).all(axis=-1, keepdims=True)
            np.copyto(weights, 0, where=blind)
        y = np.empty_like(query, shape=(*query.shape[:-1], value.shape[-1]))
        multiply_batches(weights if keep is None else weights * keep, value, y)
        return y, (weights,)

    @staticmethod
    def backward(
        query: Array,
        key: Array,
        value: Array,
        mask: Array | None,
        keep: Array | None,
        causal: bool,
        scale: float,
        y: Array,
        kept: tuple[Array, ...],
        gy: Array,
    ) -> tuple[Array, Array, Array]:
        """See the reference."""
        if not kept:
            return Blocks(query, key, value, mask, keep, causal, scale).backward(y, gy)
        (weights,) = kept
        gradient = np.empty(weights.shape, np.float32)
        multiply_batches(gy, value.swapaxes(-1, -2), gradient)
        dropped = weights
        if keep is not None:
            gradient *= keep
            dropped = weights * keep
        compute = find(gradient.size, plan_of_gradient, SOFTMAX, *_rows(gradient))
        compute(address(weights), address(gradient), address(gradient))
        gradient *= np.float32(scale)
        gq, gk, gv = np.empty_like(query), np.empty_like(key), np.empty_like(value)
        multiply_batches(gradient, key, gq)
        multiply_batches(gradient.swapaxes(-1, -2), query, gk)
        multiply_batches(dropped.swapaxes(-1, -2), gy, gv)
        return gq, gk, gv


def _rows(x: Array) -> tuple[tuple[int, int], int]:
    return (math.prod(x.shape[:-1]), x.shape[-1]), 1


def bias_of(mask: Array | None, causal: bool, shape: tuple[int, ...]) -> Array | None:
    """The float32 array that is added to the scores: minus infinity where a key is hidden."""
    bias = None
    if mask is not None:
        bias = (
            np.where(mask, np.float32(0), np.float32(-np.inf))
            if mask.dtype == bool
            else mask.astype(np.float32, copy=False)
        )
    if causal:
        rows, columns = shape[-2:]
        seen = np.arange(rows)[:, None] >= np.arange(columns)
        past = np.where(seen, np.float32(0), np.float32(-np.inf))
        bias = past if bias is None else bias + past
    return bias
