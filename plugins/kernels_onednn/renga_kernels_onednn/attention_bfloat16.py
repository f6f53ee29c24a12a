"""Attention in bfloat16: scores in float32, where softmax needs them, and weights in bfloat16, for the products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_bfloat16, is_single
from renga_core.backend import Array
from renga_core.kernel import operations
from renga_kernels_onednn.attention import bias_of
from renga_kernels_onednn.cache import find
from renga_kernels_onednn.handles import Description
from renga_kernels_onednn.layout import plain_layout
from renga_kernels_onednn.library import DST, FORWARD_TRAINING, SOFTMAX, SRC
from renga_kernels_onednn.primitive import Primitive
from renga_kernels_onednn.product import multiply_batches
from renga_kernels_onednn.softmax import plan_of_gradient

__all__ = ["Attention", "supports_bfloat16"]

_MOST = 1 << 22
"""Number of scores computed at once; for more, the reference computes in blocks."""


def supports_bfloat16(
    query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
) -> bool:
    """Whether these are bfloat16 arrays whose scores can be computed at once."""
    return (
        is_bfloat16(query, key, value)
        and math.prod(query.shape[:-1]) * key.shape[-2] <= _MOST
        and all(x is None or x.dtype == bool or is_single(x) or is_bfloat16(x) for x in (mask, keep))
    )


class Attention:
    """Operation ``scaled_dot_product_attention``; results have the memory order of queries, keys and values."""

    @staticmethod
    def forward(
        query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
    ) -> tuple[Array, tuple[Array, ...]]:
        """See the reference."""
        scores = np.empty((*query.shape[:-1], key.shape[-2]), np.float32)
        multiply_batches(query, key.swapaxes(-1, -2), scores, scale)
        bias = bias_of(mask, causal, scores.shape)
        if bias is not None:
            scores += bias
        if not scores.max() < math.inf:
            # As in `softmax`: NaN and infinity must stay visible.
            reference: Any = operations["scaled_dot_product_attention"].reference
            y, (weights,) = reference.forward(query, key, value, mask, keep, causal, scale)
            return y, (weights.astype(query.dtype),)
        weights = np.empty(scores.shape, query.dtype)
        find(scores.size, _softmax, math.prod(scores.shape[:-1]), scores.shape[-1])(address(scores), address(weights))
        if mask is not None:
            np.copyto(weights, 0, where=np.all(bias == -np.inf, axis=-1, keepdims=True))
        y = np.empty_like(query, shape=(*query.shape[:-1], value.shape[-1]))
        multiply_batches(_dropped(weights, keep), value, y)
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
        (weights,) = kept
        gradient = np.empty_like(weights)
        multiply_batches(gy, value.swapaxes(-1, -2), gradient)
        gradient = _dropped(gradient, keep)
        rows = (math.prod(weights.shape[:-1]), weights.shape[-1])
        compute = find(gradient.size, plan_of_gradient, SOFTMAX, rows, 1, 2)
        compute(address(weights), address(gradient), address(gradient))
        gq, gk, gv = np.empty_like(query), np.empty_like(key), np.empty_like(value)
        multiply_batches(gradient, key, gq, scale)
        multiply_batches(gradient.swapaxes(-1, -2), query, gk, scale)
        multiply_batches(_dropped(weights, keep).swapaxes(-1, -2), gy, gv)
        return gq, gk, gv


def _dropped(x: Array, keep: Array | None) -> Array:
    return x if keep is None else (x.astype(np.float32) * keep.astype(np.float32)).astype(x.dtype)


def _softmax(rows: int, columns: int) -> Primitive:
    """From float32 to bfloat16."""
    scores, weights = plain_layout((rows, columns)), plain_layout((rows, columns), 2)
    return Primitive(Description("softmax_forward", FORWARD_TRAINING, SOFTMAX, scores, weights, 1), (SRC, DST))
