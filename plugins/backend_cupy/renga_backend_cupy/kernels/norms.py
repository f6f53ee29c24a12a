"""Sums of squares of many arrays, scaling them by numbers on the GPU, and whether all are finite: without waiting.

A block sums one piece of an array; then one block per array adds the results of its pieces, in a fixed order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.kernels.arguments import PIECE_OF_BLOCK, THREADS, blocks_of, rows_for
from renga_backend_cupy.kernels.layout import FLOATING
from renga_backend_cupy.kernels.rows import entries, module
from renga_core.backend import Array

__all__ = [
    "CheckFinite",
    "ClippingRate",
    "Scale",
    "SumsOfSquares",
    "supports",
    "supports_clipping_rate",
    "supports_finite",
]

_TENSORS = rows_for(addresses=2, numbers=2)
"""Arrays for one launch."""

_TABLE = np.dtype(
    [
        ("array", np.uint64, _TENSORS),
        ("number", np.uint64, _TENSORS),
        ("size", np.int64, _TENSORS),
        ("first", np.int32, _TENSORS + 1),
        ("count", np.int32),
    ],
    align=True,
)

_SOURCE = f"""
template <class T> struct Tensors {{
  T* array[{_TENSORS}];
  typename Wide<T>::type* number[{_TENSORS}];
  long long size[{_TENSORS}];
  int first[{_TENSORS + 1}];  // of its blocks
  int count;
}};

template <class W> struct Number {{
  W value;
}};

template <class W> static __device__ Number<W> joined(const Number<W>& a, const Number<W>& b) {{
  Number<W> made;
  made.value = a.value + b.value;
  return made;
}}

{PIECE_OF_BLOCK}

template <class T, class W> static __device__ void square(const Tensors<T>& tensors, W* parts) {{
  long long begin, end;
  const int which = piece_of_block(tensors, begin, end);
  Number<W> sum;
  sum.value = 0;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {{
    const W v = (W)tensors.array[which][i];
    sum.value += v * v;
  }}
  const W total = joined_of_team(sum, Place(1, 1)).value;
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
}}

template <class T, class W> static __device__ void add_up(const Tensors<T>& tensors, const W* parts) {{
  Number<W> sum;
  sum.value = 0;
  for (int k = tensors.first[blockIdx.x] + threadIdx.x; k < tensors.first[blockIdx.x + 1]; k += blockDim.x) {{
    sum.value += parts[k];
  }}
  const W total = joined_of_team(sum, Place(1, 1)).value;
  if (threadIdx.x == 0) tensors.number[blockIdx.x][0] = total;
}}

template <class T, class W> static __device__ void finite(const Tensors<T>& tensors) {{
  long long begin, end;
  const int which = piece_of_block(tensors, begin, end);
  Number<int> wrong;
  wrong.value = 0;
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {{
    const W v = (W)tensors.array[which][i];
    wrong.value |= !(v - v == (W)0);  // infinity less infinity is NaN
  }}
  const int found = joined_of_team(wrong, Place(1, 1)).value;
  if (threadIdx.x == 0 && found) *(unsigned char*)tensors.number[which] = 0;  // whoever writes there writes 0
}}

template <class W> static __device__ void clipping_rate(const W* squares, W* rate, double threshold, long long count) {{
  Number<W> sum;
  sum.value = 0;
  for (long long k = threadIdx.x; k < count; k += blockDim.x) sum.value += squares[k];
  const W norm = sqrt(joined_of_team(sum, Place(1, 1)).value), limit = (W)threshold, least = (W)1.17549435e-38;
  const W divisor = limit > least ? limit : least;
  if (threadIdx.x == 0) rate[0] = limit / (norm < divisor ? divisor : norm);  // NaN stays NaN
}}

template <class T> static __device__ void scale(const Tensors<T>& tensors) {{
  typedef typename Wide<T>::type W;
  long long begin, end;
  const int which = piece_of_block(tensors, begin, end);
  const W factor = tensors.number[which][0];
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {{
    tensors.array[which][i] = (T)((W)tensors.array[which][i] * factor);
  }}
}}
"""

_MODULE = module(
    _SOURCE
    + entries("squares_$D(Tensors<$T> tensors, Wide<$T>::type* parts)", "square<$T, Wide<$T>::type>(tensors, parts)")
    + entries("add_up_$D(Tensors<$T> tensors, Wide<$T>::type* parts)", "add_up<$T, Wide<$T>::type>(tensors, parts)")
    + entries("scale_$D(Tensors<$T> tensors)", "scale<$T>(tensors)")
    + "".join(
        f"""
extern "C" __global__ void clipping_rate_{dtype}(const {w}* squares, {w}* rate, double threshold, long long count) {{
  clipping_rate<{w}>(squares, rate, threshold, count);
}}
"""
        for dtype, w in (("float32", "float"), ("float64", "double"))
    )
    + entries("finite_$D(Tensors<$T> tensors)", "finite<$T, Wide<$T>::type>(tensors)")
)


def supports(array: Array, number: Array) -> bool:
    """Whether the array is floating and without gaps, and the number one in float32, or float64 for float64."""
    wide = "float64" if array.dtype.name == "float64" else "float32"
    dense = array.dtype.name in FLOATING and bool(array.flags.c_contiguous)
    return dense and number.dtype.name == wide and tuple(number.shape) == (1,)


def supports_finite(flag: Array, array: Array) -> bool:
    """Whether the array is floating and without gaps, and the flag one truth value."""
    dense = array.dtype.name in FLOATING and bool(array.flags.c_contiguous)
    return dense and flag.dtype.kind == "b" and tuple(flag.shape) == (1,)


def supports_clipping_rate(squares: Array, threshold: float) -> bool:
    """Whether the sums are in float32 or float64."""
    return squares.dtype.name in ("float32", "float64")


class ClippingRate:
    """Operation ``clipping_rate``, in one launch of one block."""

    @staticmethod
    def forward(squares: Array, threshold: float) -> Array:
        """See the reference."""
        rate = cupy.empty(1, dtype=squares.dtype)
        numbers = np.float64(threshold), np.int64(squares.size)
        _launch(f"clipping_rate_{squares.dtype.name}", 1, cupy.ascontiguousarray(squares), rate, *numbers)
        return rate


class CheckFinite:
    """Operation ``check_finite``."""

    @staticmethod
    def forward(flags: Sequence[Array], arrays: Sequence[Array]) -> None:
        """See the reference."""
        for table, blocks in _tables(arrays, flags):
            if blocks:
                _launch(f"finite_{arrays[0].dtype.name}", blocks, table)


class SumsOfSquares:
    """Operation ``sums_of_squares``."""

    @staticmethod
    def forward(arrays: Sequence[Array], sums: Sequence[Array]) -> None:
        """See the reference."""
        dtype = arrays[0].dtype.name
        for table, blocks in _tables(arrays, sums):
            parts = cupy.empty(max(1, blocks), dtype=sums[0].dtype)
            if blocks:
                _launch(f"squares_{dtype}", blocks, table, parts)
            _launch(f"add_up_{dtype}", int(table["count"]), table, parts)


class Scale:
    """Operation ``scale``."""

    @staticmethod
    def forward(arrays: Sequence[Array], factors: Sequence[Array]) -> None:
        """See the reference."""
        for table, blocks in _tables(arrays, factors):
            if blocks:
                _launch(f"scale_{arrays[0].dtype.name}", blocks, table)


def _launch(name: str, blocks: int, *args: Any) -> None:
    _MODULE.get_function(name)((blocks,), (THREADS,), args)


def _tables(arrays: Sequence[Array], numbers: Sequence[Array]) -> Iterator[tuple[Any, int]]:
    """Arguments of kernels for up to `_TENSORS` arrays, and their numbers of pieces."""
    for start in range(0, len(arrays), _TENSORS):
        part, table = arrays[start : start + _TENSORS], np.zeros((), _TABLE)
        count = len(part)
        first = blocks_of(part)
        table["array"][:count] = [x.data.ptr for x in part]
        table["number"][:count] = [x.data.ptr for x in numbers[start : start + _TENSORS]]
        table["size"][:count], table["first"][: count + 1], table["count"] = [x.size for x in part], first, count
        yield table, int(first[-1])
