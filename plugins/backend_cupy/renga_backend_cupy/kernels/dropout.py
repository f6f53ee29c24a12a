"""Dropout in one launch, which draws and multiplies, and adds a residual if there is one.

No mask is stored: backward draws the same numbers again, since each is computed from the generator's key and its place
(see `renga_backend_cupy.generator`). They are the numbers that the reference would draw.
"""

from __future__ import annotations

from typing import Any

import cupy

from renga_backend_cupy.generator import PHILOX, PhiloxGenerator
from renga_backend_cupy.kernels.layout import FLOATING, FOUR, WIDE, in_fours
from renga_core.backend import Array

__all__ = ["Dropout", "DropoutAdd", "supports", "supports_add"]

# Each thread makes one block of the generator: numbers for four elements, which it reads at once if it may.
_KERNEL = cupy.ElementwiseKernel(
    "uint64 key, uint64 position, raw uint64 shift, int64 count, int32 fours, float64 ratio, raw T x",
    "raw T y",
    """
    typedef typename Wide<T>::type W;
    const Block block = philox(key, position + shift[0] + i);
    const W scale = (W)(T)(1 / (1 - ratio));
    const auto drop = [&](T v, int k) { return (T)((W)v * (unit_float(block.w[k]) >= (float)ratio ? scale : 0)); };
    const long long first = (long long)i * 4;
    if (fours && first + 4 <= count) {
      Four<T> four = *(const Four<T>*)&x[first];
      for (int k = 0; k < 4; ++k) four.of[k] = drop(four.of[k], k);
      *(Four<T>*)&y[first] = four;
    } else {
      for (int k = 0; k < 4 && first + k < count; ++k) y[first + k] = drop(x[first + k], k);
    }
    """,
    "renga_dropout",
    preamble=PHILOX + WIDE + FOUR,
)

# A product that is rounded before it is added, as if two kernels did it: the compiler makes no fused operation of them.
_ROUNDED = """
static __device__ float rounded_product(float a, float b) { return __fmul_rn(a, b); }
static __device__ double rounded_product(double a, double b) { return __dmul_rn(a, b); }
"""

_ADD = cupy.ElementwiseKernel(
    "uint64 key, uint64 position, raw uint64 shift, int64 count, int32 fours, float64 ratio, raw T x, raw T residual",
    "raw T y",
    """
    typedef typename Wide<T>::type W;
    const Block block = philox(key, position + shift[0] + i);
    const W scale = (W)(T)(1 / (1 - ratio));
    const auto added = [&](T v, T r, int k) {
      const W factor = unit_float(block.w[k]) >= (float)ratio ? scale : 0;
      return (T)((W)r + (W)(T)rounded_product((W)v, factor));
    };
    const long long first = (long long)i * 4;
    if (fours && first + 4 <= count) {
      Four<T> four = *(const Four<T>*)&x[first];
      const Four<T> others = *(const Four<T>*)&residual[first];
      for (int k = 0; k < 4; ++k) four.of[k] = added(four.of[k], others.of[k], k);
      *(Four<T>*)&y[first] = four;
    } else {
      for (int k = 0; k < 4 && first + k < count; ++k) y[first + k] = added(x[first + k], residual[first + k], k);
    }
    """,
    "renga_dropout_add",
    preamble=PHILOX + WIDE + FOUR + _ROUNDED,
)


def supports(x: Array, generator: Any, ratio: float) -> bool:
    """Whether the array is floating-point, and the generator can compute any of its numbers directly."""
    return x.dtype.name in FLOATING and isinstance(generator, PhiloxGenerator)


def supports_add(x: Array, residual: Array, generator: Any, ratio: float) -> bool:
    """As `supports`, for two arrays of one shape and dtype."""
    return supports(x, generator, ratio) and residual.shape == x.shape and bool(residual.dtype == x.dtype)


class Dropout:
    """Operation ``dropout``. What it keeps is where in the sequence of random numbers it took its own."""

    @staticmethod
    def forward(x: Array, generator: PhiloxGenerator, ratio: float) -> tuple[Array, tuple[Any, ...]]:
        """See the reference."""
        kept = generator.take(-(-x.size // 4))
        return _drop(kept, x, ratio), kept

    @staticmethod
    def backward(kept: tuple[Any, ...], gy: Array, ratio: float) -> Array:
        """See the reference."""
        return _drop(kept, gy, ratio)


class DropoutAdd:
    """Operation ``dropout_add``. It keeps the same, and its gradient of `x` is that of dropout."""

    backward = staticmethod(Dropout.backward)

    @staticmethod
    def forward(x: Array, residual: Array, generator: PhiloxGenerator, ratio: float) -> tuple[Array, tuple[Any, ...]]:
        """See the reference."""
        kept, y = generator.take(-(-x.size // 4)), cupy.empty(x.shape, dtype=x.dtype)
        if x.size:
            given = [cupy.ascontiguousarray(each).reshape(-1) for each in (x, residual)]
            _ADD(*kept, x.size, int(in_fours(*given, y)), ratio, *given, y.reshape(-1), size=-(-x.size // 4))
        return y, kept


def _drop(kept: tuple[Any, ...], x: Array, ratio: float) -> Array:
    y = cupy.empty(x.shape, dtype=x.dtype)
    if x.size:
        flat = cupy.ascontiguousarray(x).reshape(-1)
        _KERNEL(*kept, x.size, int(in_fours(flat, y)), ratio, flat, y.reshape(-1), size=-(-x.size // 4))
    return y
