"""Kernels in which the threads of a block share rows: how many for which, and what their sources have in common.

A row has `length` elements, `inner` apart: 1 for the last axis. Where rows lie one after another, a team of threads
(``threadIdx.x``) goes through each; where neighbours belong to different rows, each thread has a row of its own. Either
way the threads of a warp read what lies side by side. A thread of a team reads and writes four elements at once where
rows begin at addresses that allow it. Sums are then added in another order, so their last bits may differ from those of
rows that do not: a new array always begins at such an address.
"""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.kernels.layout import FLOATING, FOUR, WIDE, in_fours
from renga_core.backend import Array

__all__ = ["COMMON", "THREADS", "entries", "launch", "lines", "module"]

THREADS = 256
"""In a block; also the number of elements that the kernels have shared memory for."""

COMMON = f"""
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef __half float16;
typedef __nv_bfloat16 bfloat16;
{WIDE}
{FOUR}

// Which row a thread works on, where its first element is, and where in shared memory its team is.
struct Place {{
  long long row, start;
  int first;
  __device__ Place(long long length, long long inner)
    : row((long long)blockIdx.x * blockDim.y + threadIdx.y),
      start(row / inner * length * inner + row % inner),
      first(threadIdx.y * blockDim.x) {{}}
}};

// Give `use` the elements of a thread, of one or several rows, which begin there: four at once, or `inner` apart.
template <class F, class... T> static __device__ void read_row(
    const Place& place, long long rows, long long length, long long inner, bool fours, const F& use, const T*... row) {{
  if (place.row >= rows) return;
  if (fours) {{
    const auto use_four = [&](const auto&... loaded) {{
      for (int n = 0; n < 4; ++n) use(loaded.of[n]...);
    }};
    for (int k = 4 * threadIdx.x; k < (int)length; k += 4 * blockDim.x) use_four(*(const Four<T>*)(row + k)...);
  }} else {{
    for (long long k = threadIdx.x; k < length; k += blockDim.x) use(row[k * inner]...);
  }}
}}

// Write what `make` returns for these elements.
template <class Y, class F, class... T> static __device__ void write_row(
    const Place& place, long long rows, long long length, long long inner, bool fours, Y* y, const F& make,
    const T*... row) {{
  if (place.row >= rows) return;
  if (fours) {{
    const auto make_four = [&](const auto&... loaded) {{
      Four<Y> made;
      for (int n = 0; n < 4; ++n) made.of[n] = make(loaded.of[n]...);
      return made;
    }};
    for (int k = 4 * threadIdx.x; k < (int)length; k += 4 * blockDim.x) {{
      *(Four<Y>*)(y + k) = make_four(*(const Four<T>*)(row + k)...);
    }}
  }} else {{
    for (long long k = threadIdx.x; k < length; k += blockDim.x) y[k * inner] = make(row[k * inner]...);
  }}
}}

// Join the values of a team, the right half to the left until one is left: always in the same order.
template <class V> static __device__ V joined_of_team(V value, const Place& place) {{
  __shared__ V held[{THREADS}];
  __syncthreads();
  held[place.first + threadIdx.x] = value;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {{
    if (threadIdx.x < half) {{
      V& mine = held[place.first + threadIdx.x];
      mine = joined(mine, held[place.first + threadIdx.x + half]);
    }}
    __syncthreads();
  }}
  return held[place.first];
}}
"""
"""The beginning of a source. Values that are joined need a constructor without work to do, and ``joined(a, b)``."""

_NAMES = {"float16": "float16", "bfloat16": "bfloat16", "float32": "float", "float64": "double"}


def entries(declaration: str, call: str) -> str:
    """A kernel for each dtype: its name ends in the dtype's, and ``T`` is the type in both texts."""
    made = ""
    for dtype in FLOATING:
        head, body = (text.replace("$T", _NAMES[dtype]).replace("$D", dtype) for text in (declaration, call))
        made += f'extern "C" __global__ void {head} {{ {body}; }}\n'
    return made


def lines(x: Array, axis: int) -> tuple[int, int, int]:
    """Number of rows along an axis, their length, and how far apart their elements are, if `x` has no gaps."""
    length, inner = x.shape[axis], math.prod(x.shape[axis + 1 :])
    return math.prod(x.shape[:axis]) * inner, length, inner


def launch(
    module: Any,
    name: str,
    dtype: Any,
    shape: tuple[int, int, int],
    args: tuple[Any, ...],
    vectors: tuple[Array, ...] | None = None,
) -> None:
    """Run a kernel on rows; nothing without rows.

    Args:
        module: Has the kernel.
        name, dtype: Its name is made of these.
        shape: What `lines` gave.
        args: Its arguments before the three numbers of `shape`.
        vectors: Arrays of which it can read or write four elements at once. If given, the last argument of the kernel
            says whether it may.
    """
    rows, length, inner = shape
    if not rows or not length:
        return
    fours = vectors is not None and inner == 1 and length % 4 == 0 and in_fours(*vectors)
    team = 1
    while inner == 1 and team < THREADS and team < (length // 4 if fours else length):
        team *= 2
    together = THREADS // team
    blocks = -(-rows // together)
    function = module.get_function(f"{name}_{np.dtype(dtype).name}")
    numbers = [np.int64(n) for n in shape] + ([] if vectors is None else [np.int64(fours)])
    function((blocks,), (team, together), (*args, *numbers))


def module(source: str) -> Any:
    """The source, compiled at its first use, as the common part goes before it."""
    return cupy.RawModule(code=COMMON + source)
