"""Limit for the parameters of one launch: their addresses are passed by value, and kernel arguments are limited.

A launch has as many blocks as all its arrays together have pieces of `PIECE` elements, so a large array has many blocks
and a bias one.
"""

from __future__ import annotations

from collections.abc import Sequence

import cupy
import numpy as np

from renga_core.backend import Array

__all__ = ["PIECE", "PIECE_OF_BLOCK", "THREADS", "blocks_of", "limit", "rows_for"]

PIECE = 4096
"""Elements of a block."""

THREADS = 256
"""Size of a block."""

PIECE_OF_BLOCK = f"""
// The array of this block (the last that begins at it or before), and the elements of its piece.
template <class S> static __device__ int piece_of_block(const S& arrays, long long& begin, long long& end) {{
  int which = 0, after = arrays.count;
  while (after - which > 1) {{
    const int middle = (which + after) / 2;
    if (arrays.first[middle] <= (int)blockIdx.x) which = middle; else after = middle;
  }}
  begin = (long long)((int)blockIdx.x - arrays.first[which]) * {PIECE};
  end = begin + {PIECE} < arrays.size[which] ? begin + {PIECE} : arrays.size[which];
  return which;
}}
"""
"""Source of a function of a kernel whose struct has `first` (see `blocks_of`), `size` and `count`."""


def limit() -> int:
    """Bytes that a kernel may be given: 32,764 from CUDA 12.1 and compute capability 7.0 on, 4,096 before.

    CUDA C++ Programming Guide, «Technical Specifications per Compute Capability» and «Function Parameters». The driver
    and the libraries that compile must both know it.
    """
    runtime = cupy.cuda.runtime
    known = min(runtime.driverGetVersion(), runtime.runtimeGetVersion()) >= 12010
    return 32764 if known and int(cupy.cuda.Device().compute_capability) >= 70 else 4096


def rows_for(addresses: int, numbers: int) -> int:
    """Number of rows of addresses that fit, next to other arguments of 8 bytes.

    Each row also has a size (8 bytes), and the number of its first block (4).
    """
    return (limit() - 16 - 8 * numbers) // (8 * addresses + 12)


def blocks_of(arrays: Sequence[Array]) -> np.ndarray:
    """Return the first block of each array, and the total number of blocks."""
    return np.cumsum([0, *(-(-x.size // PIECE) for x in arrays)])
