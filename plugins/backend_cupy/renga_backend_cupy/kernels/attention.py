"""Attention in three launches: scores, weights, means. A CUDA graph can hold them.

Products are cuBLAS's, on tensor cores for half precision, and added up in float32. Between them one launch scales,
masks and normalizes the scores, in float32 for half precision; weights are kept in the dtype of the queries.
"""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.cublas import multiply
from renga_backend_cupy.kernels.layout import FLOATING
from renga_backend_cupy.kernels.rows import entries, launch, lines, module
from renga_backend_cupy.kernels.softmax import ONLINE_SUM
from renga_core.backend import Array

__all__ = ["Attention", "supports"]

Ints = tuple[int, ...]

_SOURCE = (
    ONLINE_SUM
    + """
struct Flag {
  bool value;
};

static __device__ Flag joined(const Flag& a, const Flag& b) {
  Flag made;
  made.value = a.value || b.value;
  return made;
}

// NVRTC has no name for it; the product overflows when it is compiled.
static __device__ double minus_infinity() { return -1e300 * 1e300; }

// What the mask adds to a score.
static __device__ double added(const unsigned char* seen, long long at) { return seen[at] ? 0.0 : minus_infinity(); }
static __device__ float added(const float* bias, long long at) { return bias[at]; }
static __device__ double added(const double* bias, long long at) { return bias[at]; }
static __device__ float added(const char* nothing, long long at) { return 0; }

template <class T, class W, class M> static __device__ void weigh(
    const W* scores, const M* mask, T* weights, long long inner_size, long long queries, long long outer_step,
    long long inner_step, long long query_step, long long key_step, long long causal, long long rows,
    long long length, long long inner) {
  const Place place(length, inner);
  const long long query = place.row % queries, matrix = place.row / queries;
  const long long base = matrix / inner_size * outer_step + matrix % inner_size * inner_step + query * query_step;
  const W nothing = (W)minus_infinity();
  Sum<W> sum;
  sum.largest = 0, sum.total = 0;
  Flag visible;
  visible.value = false;
  for (long long k = threadIdx.x; place.row < rows && k < length; k += blockDim.x) {
    W bias = (W)added(mask, base + k * key_step);
    if (causal && k > query) bias += nothing;
    visible.value = visible.value || bias != nothing;
    include(sum, scores[place.start + k] + bias);
  }
  sum = joined_of_team(sum, place);
  // A query that sees no key gets zeros, unless a score is NaN, which shows.
  const bool blind = !joined_of_team(visible, place).value;
  const W spoiled = sum.total + sum.largest;
  for (long long k = threadIdx.x; place.row < rows && k < length; k += blockDim.x) {
    W bias = (W)added(mask, base + k * key_step);
    if (causal && k > query) bias += nothing;
    const W weight = blind ? (spoiled != spoiled ? spoiled : (W)0)
        : exp(scores[place.start + k] + bias - sum.largest) / sum.total;
    weights[place.start + k] = (T)weight;
  }
}

template <class T, class W> static __device__ void weigh_gradient(
    const T* weights, const W* g, T* out, long long rows, long long length, long long inner) {
  const Place place(length, inner);
  Number<W> sum;
  sum.value = 0;
  for (long long k = threadIdx.x; place.row < rows && k < length; k += blockDim.x) {
    sum.value += (W)weights[place.start + k] * g[place.start + k];
  }
  const W total = joined_of_team(sum, place).value;
  for (long long k = threadIdx.x; place.row < rows && k < length; k += blockDim.x) {
    out[place.start + k] = (T)((W)weights[place.start + k] * (g[place.start + k] - total));
  }
}
"""
)

_SHAPE = "long long rows, long long length, long long inner"
_STEPS = (
    "long long inner_size, long long queries, long long outer_step, long long inner_step, long long query_step, "
    "long long key_step, long long causal"
)
_GIVEN = "inner_size, queries, outer_step, inner_step, query_step, key_step, causal, rows, length, inner"


def _weigh(name: str, kind: str) -> str:
    return entries(
        f"{name}_$D(const Wide<$T>::type* scores, const {kind}* mask, $T* weights, {_STEPS}, {_SHAPE})",
        f"weigh<$T, Wide<$T>::type, {kind}>(scores, mask, weights, {_GIVEN})",
    )


_MODULE = module(
    _SOURCE
    + _weigh("weigh_all", "char")
    + _weigh("weigh_seen", "unsigned char")
    + _weigh("weigh_biased", "Wide<$T>::type")
    + entries(
        f"weigh_gradient_$D(const $T* weights, const Wide<$T>::type* g, $T* out, {_SHAPE})",
        "weigh_gradient<$T, Wide<$T>::type>(weights, g, out, rows, length, inner)",
    )
)


def supports(
    query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
) -> bool:
    """Whether the numbers are floating and of one dtype."""
    same = query.dtype == key.dtype == value.dtype and (keep is None or keep.dtype == query.dtype)
    masked = mask is None or mask.dtype.kind == "b" or mask.dtype.name in FLOATING
    return bool(query.dtype.name in FLOATING and query.ndim >= 2 and same and masked)


class Attention:
    """Operation ``scaled_dot_product_attention``."""

    @staticmethod
    def forward(
        query: Array, key: Array, value: Array, mask: Array | None, keep: Array | None, causal: bool, scale: float
    ) -> tuple[Array, tuple[Any, ...]]:
        """Like the reference. It keeps the weights, before and after dropout."""
        front = query.shape[:-2]
        q, k, v = (_batch(x) for x in (query, key, value))
        wide = np.promote_types(query.dtype, np.float32)
        scores = multiply(q, k.swapaxes(-1, -2), wide, scale)
        weights = cupy.empty(scores.shape, dtype=query.dtype)
        kind, given, steps = _mask(mask, (*front, query.shape[-2], key.shape[-2]), wide, weights)
        numbers = [np.int64(n) for n in (*steps, causal)]
        launch(_MODULE, kind, query.dtype, lines(scores, 2), (scores, given, weights, *numbers))
        dropped = weights if keep is None else weights * keep.reshape(weights.shape)
        y = multiply(dropped, v)
        return y.reshape(*query.shape[:-1], value.shape[-1]), (weights, dropped)

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
        kept: tuple[Any, ...],
        gy: Array,
    ) -> tuple[Array, Array, Array]:
        """See the reference."""
        weights, dropped = kept
        q, k, v, g = (_batch(x) for x in (query, key, value, gy.astype(query.dtype, copy=False)))
        g_weights = multiply(g, v.swapaxes(-1, -2), np.promote_types(query.dtype, np.float32))
        if keep is not None:
            g_weights *= keep.reshape(weights.shape)
        g_scores = cupy.empty(weights.shape, dtype=query.dtype)
        launch(_MODULE, "weigh_gradient", query.dtype, lines(weights, 2), (weights, g_weights, g_scores))
        return (
            multiply(g_scores, k, scale=scale).reshape(query.shape),
            multiply(g_scores.swapaxes(-1, -2), q, scale=scale).reshape(key.shape),
            multiply(dropped.swapaxes(-1, -2), g).reshape(value.shape),
        )


def _batch(x: Array) -> Array:
    """Matrices with one axis before them; copied only if no single stride leads from each to the next."""
    return x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:])


def _mask(mask: Array | None, shape: Ints, wide: Any, other: Array) -> tuple[str, Array, Ints]:
    """Name of the kernel, what it reads, and (inner size, queries, four strides). A mask is not broadcast in memory.

    Args:
        mask: What broadcasts to `shape`, or None.
        shape: ``(..., T, S)``.
        wide: The dtype of scores.
        other: An array to give where nothing is read.
    """
    *front, queries, keys = shape
    outer, inner = math.prod(front[:-1]), front[-1] if front else 1
    if mask is None:
        return "weigh_all", other.reshape(-1).view(np.int8), (inner, queries, 0, 0, 0, 0)
    boolean = mask.dtype.kind == "b"
    held = cupy.ascontiguousarray(mask if boolean else mask.astype(wide, copy=False))
    whole = cupy.broadcast_to(held, shape).reshape(outer, inner, queries, keys)
    if whole.data.ptr != held.data.ptr:  # copied, because no two strides go through its axes in front
        held = whole
    steps = (inner, queries, *[step // held.dtype.itemsize for step in whole.strides])
    flat = held.reshape(-1)
    return ("weigh_seen", flat.view(np.uint8), steps) if boolean else ("weigh_biased", flat, steps)
