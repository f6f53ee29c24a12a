"""Gradient of an embedding: each thread adds in its own columns."""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop

__all__ = ["EmbedIDGradient", "supports"]

_GRADIENT = Loop("embedding:gradient", "i8* f4* f4* i8* i8 i8 i8 i8 i8 i8")

_WIDTH = 64
"""Columns of a piece: four cache lines."""

_SMALL = 1 << 15
"""Up to this number of elements, one thread does all the work."""


def supports(ids: Array, gy: Array, rows: int, ignore_label: int | None) -> bool:
    """Whether the gradient is float32, and the indices fit into int64."""
    return is_single(gy) and ids.dtype != np.uint64


class EmbedIDGradient:
    """Operation ``embed_id_gradient``."""

    @staticmethod
    def forward(ids: Array, gy: Array, rows: int, ignore_label: int | None) -> Array:
        """See the reference; same order of additions, so the bits are equal.

        Raises:
            IndexError: An index is out of range.
        """
        columns = gy.shape[-1]
        ids, gy = np.ascontiguousarray(ids, np.int64), np.ascontiguousarray(gy)
        gW = np.zeros((rows, columns), np.float32)
        outside = np.zeros(1, np.int64)
        width = columns if gy.size <= _SMALL else _WIDTH
        ignore = (0, 0) if ignore_label is None else (1, ignore_label)
        places = map(address, (ids, gy, gW, outside))
        _GRADIENT(-(-columns // width), *places, ids.size, rows, columns, width, *ignore)
        if outside[0]:
            raise IndexError(
                f"embed_id_gradient: a number is outside {-rows} to {rows - 1}: the matrix has {rows} rows. "
                "Next: check the indices, or exclude one of them by ignore_label."
            )
        return gW
