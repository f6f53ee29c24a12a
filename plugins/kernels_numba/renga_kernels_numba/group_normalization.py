"""Batch normalization of a matrix whose rows are the channels, for group normalization."""

from __future__ import annotations

import numpy as np

from renga_backend_numpy.arrays import address, is_single
from renga_core.backend import Array
from renga_kernels_numba.loop import Loop

__all__ = ["RowwiseNormalization", "supports"]

Ints = tuple[int, ...]

_FORWARD = Loop("group_normalization:forward", "f4* f4* f4* f4* f4* f4* f4* i8 i8 i8 f8")
_BACKWARD = Loop("group_normalization:backward", "f4* f4* f4* f4* f4* f4* f4* f4* i8 i8 i8")

_BLOCK = 1 << 15
"""Elements of a piece; at least one row."""


def supports(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> bool:
    """Whether these are a float32 matrix, and a scale and shift for each row."""
    return x.ndim == 2 and tuple(axes) == (1,) and is_single(x, gamma, beta)


class RowwiseNormalization:
    """Operation ``batch_normalization``."""

    @staticmethod
    def forward(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> tuple[Array, Array, Array, Array]:
        """See the reference."""
        x, gamma, beta = (np.ascontiguousarray(a) for a in (x, gamma, beta))
        rows, units = x.shape
        y = np.empty(x.shape, np.float32)
        mean, var, inv_std = np.empty((3, rows), np.float32)
        size = max(1, _BLOCK // units)
        _FORWARD(-(-rows // size), *map(address, (x, gamma, beta, y, mean, var, inv_std)), rows, units, size, eps)
        return y, mean, var, inv_std

    @staticmethod
    def backward(
        x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array, axes: Ints
    ) -> tuple[Array, Array, Array]:
        """See the reference."""
        x, gamma, mean, inv_std, gy = (np.ascontiguousarray(a) for a in (x, gamma, mean, inv_std, gy))
        rows, units = x.shape
        gx = np.empty(x.shape, np.float32)
        ggamma, gbeta = np.empty((2, rows), np.float32)
        size = max(1, _BLOCK // units)
        places = map(address, (x, gamma, mean, inv_std, gy, gx, ggamma, gbeta))
        _BACKWARD(-(-rows // size), *places, rows, units, size)
        return gx, ggamma, gbeta
