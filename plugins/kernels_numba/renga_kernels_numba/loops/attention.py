"""Attention of heads whose scores a cache holds, forward and back: a piece is a head.

Queries ``(T, D)`` go by blocks of rows. Under `causal`, a block leaves out the keys that none of its queries sees.
"""

from __future__ import annotations

import numpy as np

from renga_kernels_numba.loops.intrinsics import Floats, Longs, loop
from renga_kernels_numba.loops.pieces import LANES
from renga_kernels_numba.loops.rows_of_scores import sum_of_products, weights_of
from renga_kernels_numba.loops.tiles import HIGH, add_product, add_transposed_product, clear, pack_columns, pack_rows

__all__ = ["backward", "forward"]

_ROWS = 2 * HIGH
"""Queries of a block: whole tiles."""


@loop
def forward(
    piece: int,
    q: Floats,
    k: Floats,
    v: Floats,
    y: Floats,
    weights: Floats,
    packed: Floats,
    starts: Longs,
    steps: Longs,
    causal: int,
    scale: float,
    queries: int,
    keys: int,
    features: int,
    outputs: int,
) -> None:
    """``y = softmax(scale * q @ k.T) @ v``.

    Args:
        piece: Which head.
        q, k, v, y: Arrays ``(T, D)``, ``(S, D)``, ``(S, E)`` and ``(T, E)`` for each head.
        weights: Become the softmax, ``(heads, T, S)`` with S filled up to a multiple of `LANES`.
        packed: Room for keys and values, ``(heads, D + E, S)`` filled up as well.
        starts: Places of the four arrays of each head.
        steps: Steps to the next row of the four.
        causal: Whether a query sees only the keys up to its own place.
        scale: Factor of the products.
        queries, keys, features, outputs: T, S, D, E; D and E are multiples of `LANES`.
    """
    wide = -(-keys // LANES) * LANES
    at_q, at_k, at_v, at_y = starts[4 * piece], starts[4 * piece + 1], starts[4 * piece + 2], starts[4 * piece + 3]
    at_keys = piece * (features + outputs) * wide
    at_values = at_keys + features * wide
    pack_rows(keys, features, k, at_k, steps[1], packed, at_keys)
    pack_columns(keys, outputs, v, at_v, steps[2], packed, at_values)
    factor = np.float32(scale)
    for first in range(0, queries, _ROWS):
        rows = min(_ROWS, queries - first)
        most = min(keys, first + rows) if causal else keys
        whole = -(-most // LANES) * LANES
        at = (piece * queries + first) * wide
        clear(rows, wide, weights, at, wide)
        add_product(
            rows,
            whole // LANES,
            features,
            q,
            at_q + first * steps[0],
            steps[0],
            packed,
            at_keys,
            features * LANES,
            weights,
            at,
            wide,
            LANES,
        )
        for row in range(rows):
            seen = min(keys, first + row + 1) if causal else keys
            start = at + row * wide
            for column in range(start + seen, start + whole):
                weights[column] = -np.inf
            weights_of(weights, start, start + whole, factor)
        clear(rows, outputs, y, at_y + first * steps[3], steps[3])
        add_product(
            rows,
            outputs // LANES,
            most,
            weights,
            at,
            wide,
            packed,
            at_values,
            keys * LANES,
            y,
            at_y + first * steps[3],
            steps[3],
            LANES,
        )


@loop
def backward(
    piece: int,
    q: Floats,
    k: Floats,
    v: Floats,
    gy: Floats,
    gq: Floats,
    gk: Floats,
    gv: Floats,
    weights: Floats,
    gscores: Floats,
    packed: Floats,
    starts: Longs,
    steps: Longs,
    causal: int,
    scale: float,
    queries: int,
    keys: int,
    features: int,
    outputs: int,
) -> None:
    """The chain rule through `forward`.

    Args:
        piece, weights, causal, scale, queries, keys, features, outputs: As of `forward`.
        q, k, v, gy: As there, and the gradient of the result.
        gq, gk, gv: Become the gradients of the three.
        gscores: Room for those of the scores, as `weights`.
        packed: Room for the four arrays, ``(heads, (D + E) (S + T))``, S and T filled up to multiples of `LANES`.
        starts, steps: Of the seven arrays.
    """
    wide = -(-keys // LANES) * LANES
    at_q, at_k, at_v, at_gy = starts[7 * piece], starts[7 * piece + 1], starts[7 * piece + 2], starts[7 * piece + 3]
    at_gq, at_gk, at_gv = starts[7 * piece + 4], starts[7 * piece + 5], starts[7 * piece + 6]
    at_values = piece * (features + outputs) * (wide + queries)
    at_keys = at_values + outputs * wide
    at_queries = at_keys + features * wide
    at_gradients = at_queries + features * queries
    pack_rows(keys, outputs, v, at_v, steps[2], packed, at_values)
    pack_columns(keys, features, k, at_k, steps[1], packed, at_keys)
    pack_columns(queries, features, q, at_q, steps[0], packed, at_queries)
    pack_columns(queries, outputs, gy, at_gy, steps[3], packed, at_gradients)
    factor = np.float32(scale)
    start = piece * queries * wide
    for first in range(0, queries, _ROWS):
        rows = min(_ROWS, queries - first)
        most = min(keys, first + rows) if causal else keys
        whole = -(-most // LANES) * LANES
        at = start + first * wide
        clear(rows, wide, gscores, at, wide)
        add_product(
            rows,
            whole // LANES,
            outputs,
            gy,
            at_gy + first * steps[3],
            steps[3],
            packed,
            at_values,
            outputs * LANES,
            gscores,
            at,
            wide,
            LANES,
        )
        for row in range(rows):
            begin = at + row * wide
            total = sum_of_products(weights, gscores, begin, begin + whole)
            for column in range(begin, begin + whole):
                gscores[column] = weights[column] * (gscores[column] - total) * factor
        clear(rows, features, gq, at_gq + first * steps[4], steps[4])
        add_product(
            rows,
            features // LANES,
            most,
            gscores,
            at,
            wide,
            packed,
            at_keys,
            keys * LANES,
            gq,
            at_gq + first * steps[4],
            steps[4],
            LANES,
        )
    clear(keys, features, gk, at_gk, steps[5])
    clear(keys, outputs, gv, at_gv, steps[6])
    for first in range(0, keys, _ROWS):
        rows = min(_ROWS, keys - first)
        unseen = min(queries, first) if causal else 0
        at = start + unseen * wide + first
        add_transposed_product(
            rows,
            features // LANES,
            queries - unseen,
            gscores,
            at,
            wide,
            packed,
            at_queries + unseen * LANES,
            queries * LANES,
            gk,
            at_gk + first * steps[5],
            steps[5],
            LANES,
        )
        add_transposed_product(
            rows,
            outputs // LANES,
            queries - unseen,
            weights,
            at,
            wide,
            packed,
            at_gradients + unseen * LANES,
            queries * LANES,
            gv,
            at_gv + first * steps[6],
            steps[6],
            LANES,
        )
