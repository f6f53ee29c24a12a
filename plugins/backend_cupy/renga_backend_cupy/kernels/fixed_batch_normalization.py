"""Batch normalization with fixed statistics, as in testing, in one launch."""

from __future__ import annotations

import math

import cupy
import numpy as np

from renga_backend_cupy.kernels.layout import FLOATING, Indexed, dense, empty, memory_order
from renga_core.backend import Array

__all__ = ["FixedBatchNormalization", "supports"]

_KERNEL = Indexed(
    "raw T x, raw S gamma, raw S beta, raw S mean, raw S var, float64 eps, index inner, index channels",
    "raw T y",
    """
    const Index channel = id / inner % channels;
    const S scale = gamma[channel] / sqrt(var[channel] + (S)eps);
    y[i] = (T)((S)x[i] * scale + (beta[channel] - mean[channel] * scale));
    """,
    "renga_batch_normalization_fixed",
)


def supports(x: Array, gamma: Array, beta: Array, mean: Array, var: Array, eps: float, axes: tuple[int, ...]) -> bool:
    """Whether the array is floating-point, and the statistics are per channel: one axis is left."""
    floating = all(array.dtype.name in FLOATING for array in (x, gamma, beta, mean, var))
    return floating and gamma.ndim == 1 and len(axes) == x.ndim - 1


class FixedBatchNormalization:
    """Operation ``batch_normalization_fixed``, in the precision of `x`, or single for half."""

    @staticmethod
    def forward(
        x: Array, gamma: Array, beta: Array, mean: Array, var: Array, eps: float, axes: tuple[int, ...]
    ) -> Array:
        """Like the reference."""
        order = memory_order(x)
        flat, y = empty(x.shape, order, x.dtype)
        if flat.size:
            wide = np.promote_types(x.dtype, np.float32)
            statistics = [cupy.ascontiguousarray(s.astype(wide, copy=False)) for s in (gamma, beta, mean, var)]
            (channel,) = set(range(x.ndim)) - set(axes)
            inner = math.prod(x.shape[axis] for axis in order[order.index(channel) + 1 :])
            _KERNEL(dense(x, order), *statistics, eps, inner, x.shape[channel], flat, size=flat.size)
        return y
