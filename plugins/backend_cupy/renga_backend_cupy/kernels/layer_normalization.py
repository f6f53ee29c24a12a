"""Layer normalization: one launch forward; backward one for the rows, and two for the sums over them.

A team of threads goes through each row. Half precision is added up in single.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.kernels.layout import FLOATING, Indexed
from renga_backend_cupy.kernels.rows import entries, launch, lines, module
from renga_core.backend import Array

__all__ = ["LayerNormalization", "supports"]

_SOURCE = """
template <class W> struct Two {
  W first, second;
};

template <class W> static __device__ Two<W> joined(const Two<W>& a, const Two<W>& b) {
  Two<W> made;
  made.first = a.first + b.first, made.second = a.second + b.second;
  return made;
}

template <class T, class W, class G> static __device__ void normalize(
    const T* x, const G* gamma, const G* beta, T* y, W* means, W* deviations, double eps, long long rows,
    long long length, long long inner, long long fours) {
  const Place place(length, inner);
  const T* row = x + place.start;
  Two<W> sum;
  sum.first = 0, sum.second = 0;
  read_row(place, rows, length, inner, fours, [&](T v) { sum.first += (W)v; }, row);
  const W mean = joined_of_team(sum, place).first / length;
  const auto add_square = [&](T v) {
    const W centred = (W)v - mean;
    sum.second += centred * centred;
  };
  read_row(place, rows, length, inner, fours, add_square, row);
  const W inv_std = 1 / sqrt(joined_of_team(sum, place).second / length + (W)eps);
  const auto of = [&](T v, G scale, G shift) { return (T)(((W)v - mean) * inv_std * (W)scale + (W)shift); };
  write_row(place, rows, length, inner, fours, y + place.start, of, row, gamma, beta);
  if (place.row < rows && threadIdx.x == 0) means[place.row] = mean, deviations[place.row] = inv_std;
}

template <class T, class W, class G> static __device__ void normalize_gradient(
    const T* x, const G* gamma, const W* means, const W* deviations, const T* gy, T* gx, long long rows,
    long long length, long long inner, long long fours) {
  const Place place(length, inner);
  const T *row = x + place.start, *gradient = gy + place.start;
  const W mean = place.row < rows ? means[place.row] : 0, inv_std = place.row < rows ? deviations[place.row] : 0;
  Two<W> sum;
  sum.first = 0, sum.second = 0;
  const auto add = [&](T v, T g, G scale) {
    const W scaled = (W)g * (W)scale;
    sum.first += scaled;
    sum.second += scaled * ((W)v - mean) * inv_std;
  };
  read_row(place, rows, length, inner, fours, add, row, gradient, gamma);
  sum = joined_of_team(sum, place);
  const auto of = [&](T v, T g, G scale) {
    const W normal = ((W)v - mean) * inv_std;
    return (T)(inv_std * ((W)g * (W)scale - (sum.first + normal * sum.second) / length));
  };
  write_row(place, rows, length, inner, fours, gx + place.start, of, row, gradient, gamma);
}
"""

_SHAPE = "long long rows, long long length, long long inner, long long fours"


def _entries(name: str, scale: str) -> str:
    """Kernels for all dtypes, where the type of `gamma` and `beta` is `scale`."""
    wide = "Wide<$T>::type"
    return entries(
        f"normalize_{name}_$D(const $T* x, const {scale}* gamma, const {scale}* beta, $T* y, {wide}* means, "
        f"{wide}* deviations, double eps, {_SHAPE})",
        f"normalize<$T, {wide}, {scale}>(x, gamma, beta, y, means, deviations, eps, rows, length, inner, fours)",
    ) + entries(
        f"normalize_gradient_{name}_$D(const $T* x, const {scale}* gamma, const {wide}* means, "
        f"const {wide}* deviations, const $T* gy, $T* gx, {_SHAPE})",
        f"normalize_gradient<$T, {wide}, {scale}>(x, gamma, means, deviations, gy, gx, rows, length, inner, fours)",
    )


_MODULE = module(_SOURCE + _entries("alike", "$T") + _entries("wide", "Wide<$T>::type"))

_PARTS = 128
"""Largest number of parts for the sums over rows."""

# Thread i adds up, in one column, the rows of one part: every `parts`-th.
_COLUMNS = Indexed(
    "raw T x, raw S means, raw S deviations, raw T gy, index rows, index length, index parts",
    "raw S sums",
    """
    const Index column = id % length;
    S gamma = 0, beta = 0;
    for (Index row = id / length; row < rows; row += parts) {
      const S g = (S)gy[row * length + column];
      gamma += g * ((S)x[row * length + column] - means[row]) * deviations[row];
      beta += g;
    }
    sums[id] = gamma;
    sums[parts * length + id] = beta;
    """,
    "renga_layer_normalization_columns",
)


def supports(x: Array, gamma: Array, beta: Array, eps: float) -> bool:
    """Whether all numbers are floating."""
    return all(array.dtype.name in FLOATING for array in (x, gamma, beta))


def _kind(x: Array, *given: Array) -> tuple[str, Any]:
    """The kernel for scale and shift: its name, and the dtype that it takes. They are converted only if they differ."""
    if all(array.dtype == x.dtype for array in given):
        return "alike", x.dtype
    return "wide", np.promote_types(x.dtype, np.float32)


class LayerNormalization:
    """Operation ``layer_normalization``."""

    @staticmethod
    def forward(x: Array, gamma: Array, beta: Array, eps: float) -> tuple[Array, Array, Array]:
        """See the reference."""
        wide = np.promote_types(x.dtype, np.float32)
        y = cupy.empty(x.shape, dtype=x.dtype)
        mean, inv_std = (cupy.empty((*x.shape[:-1], 1), dtype=wide) for _ in range(2))
        name, dtype = _kind(x, gamma, beta)
        scale, shift = (cupy.ascontiguousarray(array, dtype=dtype) for array in (gamma, beta))
        given = (cupy.ascontiguousarray(x), scale, shift, y, mean, inv_std, np.float64(eps))
        launch(_MODULE, f"normalize_{name}", x.dtype, lines(x, x.ndim - 1), given, given[:4])
        return y, mean, inv_std

    @staticmethod
    def backward(x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array) -> tuple[Array, Array, Array]:
        """See the reference."""
        gx = cupy.empty(x.shape, dtype=x.dtype)
        x, gy = (cupy.ascontiguousarray(array, dtype=x.dtype) for array in (x, gy))
        shape = lines(x, x.ndim - 1)
        name, dtype = _kind(x, gamma)
        given = (x, cupy.ascontiguousarray(gamma, dtype=dtype), mean, inv_std, gy, gx)
        launch(_MODULE, f"normalize_gradient_{name}", x.dtype, shape, given, (*given[:2], gy, gx))
        rows, length, _ = shape
        parts = max(1, min(_PARTS, rows // 8))
        sums = cupy.empty((2, parts, length), dtype=mean.dtype)
        flat = [array.reshape(-1) for array in (x, mean, inv_std, gy)]
        _COLUMNS(*flat, rows, length, parts, sums.reshape(-1), size=parts * length)
        ggamma, gbeta = sums.sum(axis=1)
        return gx, ggamma, gbeta
