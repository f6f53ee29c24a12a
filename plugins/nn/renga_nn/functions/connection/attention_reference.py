"""The reference implementation of attention: all scores at once if they are few, otherwise block by block.

A block consists of some rows of queries of one head, with all keys that they attend to. Each row is complete, so its
softmax needs no other block. Memory grows with the length of a sequence, not with its square. Backward recomputes the
weights (Dao et al. 2022, section 3.1; their blocks also divide keys, to fit into the small memory of a GPU core).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.kernel import Operation
from renga_nn.functions.checks import wide

__all__ = ["ATTENTION", "bias_of"]

_FEW = 1 << 22
"""Up to this number, all scores are computed at once and kept for backward: 16 MiB in float32."""

_BLOCK = 1 << 18
"""Number of scores per block, which fit into a core's cache."""

_Given = tuple[Array, Array, Array, Array | None, Array | None, bool, float]


def _forward(
    query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
) -> tuple[Array, tuple[Array, ...]]:
    """Return the weighted means and, for backward, the weights if they are few.

    `keep` has the factors of dropout for the weights, in the shape ``(..., T, S)``.
    """
    if prod(query.shape[:-1]) * key.shape[-2] <= _FEW:
        weights = _weights(query, key, mask, causal, scale)
        y = get_array_module(query).matmul(weights if keep is None else weights * keep, wide(value))
        return y.astype(query.dtype, copy=False), (weights,)
    y = get_array_module(query).empty((*query.shape[:-1], value.shape[-1]), dtype=query.dtype)
    for rows, keys, part in _blocks(query, key, mask, keep, causal):
        weights = _weights(query[rows], key[keys], part[0], causal, scale, rows[-1].start)
        y[rows] = get_array_module(query).matmul(weights if part[1] is None else weights * part[1], wide(value[keys]))
    return y, ()


def _backward(
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
    """Return gradients of query, key and value, from the arguments and results of `_forward` and the gradient."""
    if kept:
        gradients = _gradients(query, key, value, kept[0], keep, scale, gy)
    else:
        xp = get_array_module(query)
        gradients = tuple([xp.zeros_like(wide(x)) for x in (query, key, value)])
        for rows, keys, part in _blocks(query, key, mask, keep, causal):
            weights = _weights(query[rows], key[keys], part[0], causal, scale, rows[-1].start)
            block = _gradients(query[rows], key[keys], value[keys], weights, part[1], scale, gy[rows])
            for total, place, gradient in zip(gradients, (rows, keys, keys), block, strict=True):
                total[place] += gradient
    gq, gk, gv = [g.astype(query.dtype, copy=False) for g in gradients]
    return gq, gk, gv


ATTENTION = Operation(
    "scaled_dot_product_attention",
    _forward,
    _backward,
    samples="renga_nn.functions.example_arguments:scaled_dot_product_attention",
)


def _blocks(
    query: Array, key: Array, mask: Array | None, keep: Array | None, causal: bool
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], tuple[Array | None, Array | None]]]:
    """The rows of a block, the keys that they may attend to, and the block's parts of `mask` and `keep`."""
    *front, length, _ = query.shape
    number = key.shape[-2]
    xp = get_array_module(query)
    step = max(1, _BLOCK // number)
    pairs = [None if x is None else xp.broadcast_to(x, (*front, length, number)) for x in (mask, keep)]
    for at in np.ndindex(*front):
        for start in range(0, length, step):
            rows = slice(start, min(start + step, length))
            keys = slice(0, min(rows.stop, number) if causal else number)
            parts = [None if x is None else x[(*at, rows, keys)] for x in pairs]
            yield (*at, rows), (*at, keys), (parts[0], parts[1])


def _weights(query: Array, key: Array, mask: Array | None, causal: bool, scale: float, first: int = 0) -> Array:
    """The softmax of scores ``(..., T, S)``; 0 if a mask hides all keys. The first query has number `first`."""
    xp = get_array_module(query)
    scores = xp.matmul(wide(query), wide(key).swapaxes(-1, -2)) * scale
    bias = bias_of(xp, mask, causal, scores, first)
    if bias is not None:
        scores = scores + bias
    largest = scores.max(axis=-1, keepdims=True)
    if mask is not None:
        # If all keys are masked, all scores are minus infinity, and weights become 0 / 1. If queries and keys
        # themselves give minus infinity, weights become NaN.
        largest = xp.where((bias == -xp.inf).all(axis=-1, keepdims=True), 0, largest)
    weights = xp.exp(scores - largest)
    total = weights.sum(axis=-1, keepdims=True)
    weights /= total if mask is None else xp.where(total == 0, 1, total)
    return weights


def _gradients(
    query: Array, key: Array, value: Array, weights: Array, keep: Array | None, scale: float, gy: Array
) -> tuple[Array, Array, Array]:
    """Of query, key and value, in at least single precision."""
    xp = get_array_module(query)
    gy = wide(gy)
    g_weights = xp.matmul(gy, wide(value).swapaxes(-1, -2))
    dropped = weights
    if keep is not None:
        g_weights = g_weights * keep
        dropped = weights * keep
    g_weights = g_weights * weights
    g_scores = (g_weights - weights * g_weights.sum(axis=-1, keepdims=True)) * scale
    return (
        xp.matmul(g_scores, wide(key)),
        xp.matmul(g_scores.swapaxes(-1, -2), wide(query)),
        xp.matmul(dropped.swapaxes(-1, -2), gy),
    )


def bias_of(xp: Any, mask: Array | None, causal: bool, scores: Any, first: int = 0) -> Array | None:
    """The mask to add to scores: minus infinity for hidden keys. The first query has number `first`."""
    bias = None
    if mask is not None:
        bias = xp.where(mask, 0.0, -xp.inf) if mask.dtype.kind == "b" else mask
        bias = bias.astype(scores.dtype, copy=False)
    if causal:
        rows, columns = scores.shape[-2:]
        seen = first + xp.arange(rows)[:, None] >= xp.arange(columns)
        past = xp.where(seen, 0.0, -xp.inf).astype(scores.dtype, copy=False)
        bias = past if bias is None else bias + past
    return bias
