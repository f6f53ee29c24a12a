"""Kernels in which the threads of a block share rows: how many for which, and what their sources have in common.

A row has `length` elements, `inner` apart: 1 for the last axis. Where rows lie one after another, a team of threads
(``threadIdx.x``) goes through each; where neighbours belong to different rows, each thread has a row of its own. Either
way the threads of a warp read what lies side by side.
"""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.kernels.layout import FLOATING, WIDE
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

// Which row a thread works on, where its first element is, and where in shared memory its team is.
struct Place {{
  long long row, start;
  int first;
  __device__ Place(long long length, long long inner)
    : row((long long)blockIdx.x * blockDim.y + threadIdx.y),
      start(row / inner * length * inner + row % inner),
      first(threadIdx.y * blockDim.x) {{}}
}};

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


def launch(module: Any, name: str, dtype: Any, shape: tuple[int, int, int], args: tuple[Any, ...]) -> None:
    """Run a kernel for `shape`, which `lines` gave, with `args` and then these three numbers; nothing without rows."""
    rows, length, inner = shape
    if not rows or not length:
        return
    team = 1
    while inner == 1 and team < THREADS and team < length:
        team *= 2
    together = THREADS // team
    blocks = -(-rows // together)
    function = module.get_function(f"{name}_{np.dtype(dtype).name}")
    function((blocks,), (team, together), (*args, np.int64(rows), np.int64(length), np.int64(inner)))


def module(source: str) -> Any:
    """The source, compiled at its first use, as the common part goes before it."""
    return cupy.RawModule(code=COMMON + source)
