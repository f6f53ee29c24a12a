"""Many half-precision arrays and their float32 copies in one launch, for updates in float32.

Both arrays of a row lie alike and without gaps, in whatever order of axes, so that one index serves both.
"""

from __future__ import annotations

from collections.abc import Sequence

import cupy
import numpy as np

from renga_backend_cupy.kernels.arguments import PIECE_OF_BLOCK, THREADS, blocks_of, rows_for
from renga_backend_cupy.kernels.layout import memory_order
from renga_core.backend import Array

__all__ = ["Refresh", "Round", "Widen", "supports", "supports_round", "supports_widen"]

_ROWS = rows_for(addresses=2, numbers=1)

_TABLE = np.dtype(
    [
        ("wide", np.uint64, _ROWS),
        ("half", np.uint64, _ROWS),
        ("size", np.int64, _ROWS),
        ("first", np.int32, _ROWS),
        ("count", np.int32),
    ],
    align=True,
)

_SOURCE = f"""
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef __half float16;
typedef __nv_bfloat16 bfloat16;
{PIECE_OF_BLOCK}
template <class T> struct Pairs {{
  float* wide[{_ROWS}];
  T* half[{_ROWS}];
  long long size[{_ROWS}];
  int first[{_ROWS}];  // of its blocks
  int count;
}};

struct Refresh {{  // where the parameter is not its rounded copy, somebody has changed it
  template <class T> __device__ void operator()(float& wide, T& half) const {{
    if (!((float)(T)wide == (float)half)) wide = (float)half;
  }}
}};

struct Round {{
  template <class T> __device__ void operator()(float& wide, T& half) const {{ half = (T)wide; }}
}};

struct Widen {{
  float divisor;
  template <class T> __device__ void operator()(float& wide, T& half) const {{ wide = (float)half / divisor; }}
}};

template <class T, class F> static __device__ void each(const Pairs<T>& pairs, F f) {{
  long long begin, end;
  const int which = piece_of_block(pairs, begin, end);
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) f(pairs.wide[which][i], pairs.half[which][i]);
}}
"""


def _entries(dtype: str) -> str:
    start = 'extern "C" __global__ void'
    return f"""
{start} refresh_{dtype}(Pairs<{dtype}> pairs, double unused) {{ each(pairs, Refresh()); }}
{start} round_{dtype}(Pairs<{dtype}> pairs, double unused) {{ each(pairs, Round()); }}
{start} widen_{dtype}(Pairs<{dtype}> pairs, double divisor) {{ each(pairs, Widen{{(float)divisor}}); }}
"""


_MODULE = cupy.RawModule(code=_SOURCE + _entries("float16") + _entries("bfloat16"))


def supports(copy: Array, param: Array) -> bool:
    """Whether these are arrays of float32 and in half precision, of one shape, that lie alike and without gaps."""
    if copy.dtype.name != "float32" or param.dtype.name not in ("float16", "bfloat16") or copy.shape != param.shape:
        return False
    order = memory_order(param)
    return all(bool(x.transpose(order).flags.c_contiguous) for x in (copy, param))


def supports_round(param: Array, copy: Array) -> bool:
    """Like `supports`."""
    return supports(copy, param)


def supports_widen(copy: Array, array: Array, divisor: float) -> bool:
    """Like `supports`."""
    return supports(copy, array)


class Refresh:
    """Operation ``refresh_fp32_copy``."""

    @staticmethod
    def forward(copies: Sequence[Array], params: Sequence[Array]) -> None:
        """See the reference."""
        _launch("refresh", copies, params)


class Round:
    """Operation ``round_fp32_copy``."""

    @staticmethod
    def forward(params: Sequence[Array], copies: Sequence[Array]) -> None:
        """See the reference."""
        _launch("round", copies, params)


class Widen:
    """Operation ``widen``."""

    @staticmethod
    def forward(copies: Sequence[Array], arrays: Sequence[Array], divisor: float) -> None:
        """See the reference."""
        _launch("widen", copies, arrays, divisor)


def _launch(name: str, wides: Sequence[Array], halves: Sequence[Array], number: float = 1.0) -> None:
    launch = _MODULE.get_function(f"{name}_{halves[0].dtype.name}")
    for start in range(0, len(halves), _ROWS):
        wide, half = wides[start : start + _ROWS], halves[start : start + _ROWS]
        count, blocks, table = len(half), blocks_of(half), np.zeros((), _TABLE)
        table["wide"][:count], table["half"][:count] = [x.data.ptr for x in wide], [x.data.ptr for x in half]
        table["size"][:count], table["first"][:count], table["count"] = [x.size for x in half], blocks[:-1], count
        if blocks[-1]:
            launch((int(blocks[-1]),), (THREADS,), (table, np.float64(number)))
