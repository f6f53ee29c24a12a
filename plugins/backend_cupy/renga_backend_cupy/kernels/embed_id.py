"""The gradient of an embedding, without atomic additions: the same bits in each run.

The places that took the same row are brought together by sorting; then one thread for each run and column adds up. A
row that very many places took (of padding, say) is added up by one thread for each column alone: name it as
`ignore_label`, and it takes no time.

Sorting waits for the GPU, which must not be while a CUDA graph is captured: there the reference serves.
"""

from __future__ import annotations

import cupy
import numpy as np

from renga_backend_cupy.kernels.layout import FLOATING, WIDE
from renga_core.backend import Array

__all__ = ["EmbedIDGradient", "supports"]

# What counts for no row goes to the end, as a row after the last.
_KEYS = cupy.ElementwiseKernel(
    "raw I ids, int64 rows, int64 ignore, int32 ignores",
    "raw int64 keys",
    """
    const long long id = (long long)ids[i], row = id < 0 ? id + rows : id;
    keys[i] = (ignores && id == ignore) || row < 0 || row >= rows ? rows : row;
    """,
    "renga_embed_id_keys",
)

_ADD = cupy.ElementwiseKernel(
    "raw int64 keys, raw int64 order, raw T gy, int64 count, int64 width, int64 rows",
    "raw T gW",
    """
    typedef typename Wide<T>::type W;
    const long long first = i / width, column = i % width, key = keys[order[first]];
    if (key < rows && (first == 0 || keys[order[first - 1]] != key)) {
      W sum = 0;
      for (long long k = first; k < count && keys[order[k]] == key; ++k) sum += (W)gy[order[k] * width + column];
      gW[key * width + column] = (T)sum;
    }
    """,
    "renga_embed_id_gradient",
    preamble=WIDE,
)


def supports(ids: Array, gy: Array, rows: int, ignore_label: int | None) -> bool:
    """Whether the gradients are floating, and the others integers; and sorting, which waits, is allowed now."""
    capturing = cupy.cuda.get_current_stream().is_capturing()
    return gy.dtype.name in FLOATING and ids.dtype.kind in "iu" and not capturing


class EmbedIDGradient:
    """Operation ``embed_id_gradient``."""

    @staticmethod
    def forward(ids: Array, gy: Array, rows: int, ignore_label: int | None) -> Array:
        """Like the reference; invalid ids are ignored, and negative ones do not wrap."""
        width = gy.shape[-1]
        gW = cupy.zeros((rows, width), dtype=gy.dtype)
        if gy.size:
            keys = cupy.empty(ids.size, dtype=np.int64)
            flat = cupy.ascontiguousarray(ids).reshape(-1)
            _KEYS(flat, rows, ignore_label or 0, int(ignore_label is not None), keys, size=ids.size)
            order = cupy.argsort(keys)
            given = (keys, order, cupy.ascontiguousarray(gy).reshape(-1))
            _ADD(*given, ids.size, width, rows, gW.reshape(-1), size=gy.size)
        return gW
