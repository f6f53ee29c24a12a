"""Softmax, its logarithm, and cross entropy with classes: one launch each, in one pass for both maximum and sum.

The sum of exponentials is kept up to date when a larger number turns up (Milakov & Gimelshein, Online normalizer
calculation for softmax, arXiv:1805.02867, algorithm 3). Half precision is added up in single.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.kernels.layout import FLOATING, Indexed
from renga_backend_cupy.kernels.rows import entries, launch, lines, module
from renga_core.backend import Array

__all__ = ["ONLINE_SUM", "LogSoftmax", "Softmax", "SoftmaxCrossEntropy", "supports", "supports_cross_entropy"]

ONLINE_SUM = """
// The largest of some numbers, and the sum of their exponentials divided by its own. Without numbers the sum is 0.
template <class W> struct Sum {
  W largest, total;
};

template <class W> static __device__ Sum<W> joined(const Sum<W>& a, const Sum<W>& b) {
  if (a.total == 0) return b;
  if (b.total == 0) return a;
  Sum<W> made;
  made.largest = a.largest > b.largest ? a.largest : b.largest;
  // Minus infinity less itself is NaN: equal numbers need no exponential.
  made.total = a.total * (a.largest == made.largest ? 1 : exp(a.largest - made.largest))
      + b.total * (b.largest == made.largest ? 1 : exp(b.largest - made.largest));
  return made;
}

template <class W> struct Number {
  W value;
};

template <class W> static __device__ Number<W> joined(const Number<W>& a, const Number<W>& b) {
  Number<W> made;
  made.value = a.value + b.value;
  return made;
}

template <class W> static __device__ void include(Sum<W>& sum, W v) {
  // exp(v - v), without the exponential: 1, but NaN for infinity, which thus shows in all of the row.
  const W one = v > 0 ? v - v + 1 : (W)1;
  if (sum.total == 0 || v > sum.largest) {
    sum.total = sum.total == 0 ? one : sum.total * exp(sum.largest - v) + one;
    sum.largest = v;
  } else {
    sum.total += v == sum.largest ? one : exp(v - sum.largest);
  }
}
"""
"""Running sum: ``include`` adds one number, ``joined`` combines two sums."""

_SOURCE = (
    ONLINE_SUM
    + """
template <class T, class W> static __device__ Sum<W> sum_of_row(
    const T* x, const Place& place, long long rows, long long length, long long inner, long long fours) {
  Sum<W> sum;
  sum.largest = 0, sum.total = 0;
  read_row(place, rows, length, inner, fours, [&](T v) { include(sum, (W)v); }, x + place.start);
  return joined_of_team(sum, place);
}

template <class T> static __device__ void softmax(
    const T* x, T* y, bool logarithm, long long rows, long long length, long long inner, long long fours) {
  typedef typename Wide<T>::type W;
  const Place place(length, inner);
  const Sum<W> sum = sum_of_row<T, W>(x, place, rows, length, inner, fours);
  const auto of = [&](T v) {
    const W shifted = (W)v - sum.largest;
    return (T)(logarithm ? shifted - log(sum.total) : exp(shifted) / sum.total);
  };
  write_row(place, rows, length, inner, fours, y + place.start, of, x + place.start);
}

template <class T> static __device__ void softmax_gradient(
    const T* y, const T* gy, T* gx, bool logarithm, long long rows, long long length, long long inner,
    long long fours) {
  typedef typename Wide<T>::type W;
  const Place place(length, inner);
  Number<W> sum;
  sum.value = 0;
  const auto add = [&](T v, T g) { sum.value += logarithm ? (W)g : (W)v * (W)g; };
  read_row(place, rows, length, inner, fours, add, y + place.start, gy + place.start);
  const W total = joined_of_team(sum, place).value;
  const auto of = [&](T v, T g) { return (T)(logarithm ? (W)g - exp((W)v) * total : (W)v * ((W)g - total)); };
  write_row(place, rows, length, inner, fours, gx + place.start, of, y + place.start, gy + place.start);
}

// statistics: for each row its largest number, and the sum of exponentials.
template <class T, class W> static __device__ void cross_entropy(
    const T* x, const long long* classes, const W* weight, W* loss, W* statistics,
    long long rows, long long length, long long inner, long long fours) {
  const Place place(length, inner);
  const Sum<W> sum = sum_of_row<T, W>(x, place, rows, length, inner, fours);
  if (place.row < rows && threadIdx.x == 0) {
    const long long row = place.row;
    const W shifted = (W)x[place.start + classes[row] * inner] - sum.largest;
    loss[row] = weight[row] == 0 ? (W)0 : (log(sum.total) - shifted) * weight[row];
    statistics[2 * row] = sum.largest;
    statistics[2 * row + 1] = sum.total;
  }
}
"""
)

_SHAPE = "long long rows, long long length, long long inner, long long fours"

_MODULE = module(
    _SOURCE
    + entries(f"softmax_$D(const $T* x, $T* y, {_SHAPE})", "softmax<$T>(x, y, false, rows, length, inner, fours)")
    + entries(f"log_softmax_$D(const $T* x, $T* y, {_SHAPE})", "softmax<$T>(x, y, true, rows, length, inner, fours)")
    + entries(
        f"softmax_gradient_$D(const $T* y, const $T* gy, $T* gx, {_SHAPE})",
        "softmax_gradient<$T>(y, gy, gx, false, rows, length, inner, fours)",
    )
    + entries(
        f"log_softmax_gradient_$D(const $T* y, const $T* gy, $T* gx, {_SHAPE})",
        "softmax_gradient<$T>(y, gy, gx, true, rows, length, inner, fours)",
    )
    + entries(
        "cross_entropy_$D(const $T* x, const long long* classes, const Wide<$T>::type* weight, Wide<$T>::type* loss, "
        f"Wide<$T>::type* statistics, {_SHAPE})",
        "cross_entropy<$T, Wide<$T>::type>(x, classes, weight, loss, statistics, rows, length, inner, fours)",
    )
)

_CROSS_ENTROPY_GRADIENT = Indexed(
    "raw T x, raw int64 classes, raw S weight, raw S statistics, index length, index inner",
    "raw T gx",
    """
    const Index row = id / (length * inner) * inner + id % inner;
    const S probability = exp((S)x[id] - statistics[2 * row]) / statistics[2 * row + 1];
    gx[id] = (T)(((id / inner % length == classes[row]) ? probability - 1 : probability) * weight[row]);
    """,
    "renga_cross_entropy_gradient",
)


def supports(x: Array, axis: int) -> bool:
    """Whether the scores are floating."""
    return x.dtype.name in FLOATING


class Softmax:
    """Operation ``softmax``."""

    _name = "softmax"

    @classmethod
    def forward(cls, x: Array, axis: int) -> Array:
        """See the reference."""
        y = cupy.empty(x.shape, dtype=x.dtype)
        given = (cupy.ascontiguousarray(x), y)
        launch(_MODULE, cls._name, x.dtype, lines(x, axis), given, given)
        return y

    @classmethod
    def backward(cls, y: Array, gy: Array, axis: int) -> Array:
        """See the reference."""
        gx = cupy.empty(y.shape, dtype=y.dtype)
        given = (cupy.ascontiguousarray(y), cupy.ascontiguousarray(gy.astype(y.dtype, copy=False)), gx)
        launch(_MODULE, f"{cls._name}_gradient", y.dtype, lines(y, axis), given, given)
        return gx


class LogSoftmax(Softmax):
    """Operation ``log_softmax``."""

    _name = "log_softmax"


def supports_cross_entropy(x: Array, classes: Array, weight: Array, cache_score: bool) -> bool:
    """Whether the scores are floating, and the weights of their precision, or single for half."""
    return (
        x.dtype.name in FLOATING
        and classes.dtype.kind in "iu"
        and bool(weight.dtype == np.promote_types(x.dtype, np.float32))
    )


class SoftmaxCrossEntropy:
    """Operation ``softmax_cross_entropy``. It keeps two numbers for each row, in place of the exponentials."""

    @staticmethod
    def forward(x: Array, classes: Array, weight: Array, cache_score: bool) -> tuple[Array, tuple[Any, ...]]:
        """Like the reference; `cache_score` does not matter."""
        classes = cupy.ascontiguousarray(classes, dtype=np.int64)
        loss = cupy.empty(classes.shape, dtype=weight.dtype)
        statistics = cupy.empty((*classes.shape, 2), dtype=weight.dtype)
        given = (cupy.ascontiguousarray(x), classes, cupy.ascontiguousarray(weight), loss, statistics)
        launch(_MODULE, "cross_entropy", x.dtype, lines(x, 1), given, given[:1])
        return loss, (classes, statistics)

    @staticmethod
    def backward(x: Array, classes: Array, weight: Array, kept: tuple[Any, ...]) -> Array:
        """See the reference."""
        gx = cupy.empty(x.shape, dtype=x.dtype)
        if gx.size:
            _, length, inner = lines(x, 1)
            classes, statistics = kept
            given = (x, classes, weight.astype(statistics.dtype, copy=False), statistics)
            flat = [cupy.ascontiguousarray(array).reshape(-1) for array in given]
            _CROSS_ENTROPY_GRADIENT(*flat, length, inner, gx.reshape(-1), size=gx.size)
        return gx
