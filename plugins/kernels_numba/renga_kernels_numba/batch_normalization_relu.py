"""Batch normalization with ReLU and the addition of a residual, in training and with given statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import Array
from renga_kernels_numba import channels
from renga_kernels_numba.batch_normalization import apply, differentiate, normalize
from renga_kernels_numba.channels import Ints, Matrix, channels_last, singles

__all__ = [
    "BatchNormalizationReLU",
    "FixedBatchNormalizationReLU",
    "supports",
    "supports_bfloat16",
    "supports_fixed",
    "supports_fixed_bfloat16",
]


def supports(x: Array, gamma: Array, beta: Array, residual: Array | None, eps: float, axes: Ints) -> bool:
    """Whether these are float32 arrays with statistics for each element of one axis, the second or the last."""
    return _is_like(residual, x) and channels.supports(x, gamma, beta, eps, axes)


def supports_bfloat16(x: Array, gamma: Array, beta: Array, residual: Array | None, eps: float, axes: Ints) -> bool:
    """As `supports` of bfloat16; scale and shift may be float32, which a link keeps them in."""
    return _is_like(residual, x) and channels.supports_bfloat16(x, gamma, beta, eps, axes)


def supports_fixed(
    x: Array, gamma: Array, beta: Array, mean: Array, var: Array, residual: Array | None, eps: float, axes: Ints
) -> bool:
    """As `supports`."""
    return supports(x, gamma, beta, residual, eps, axes) and channels.supports(x, mean, var, eps, axes)


def supports_fixed_bfloat16(
    x: Array, gamma: Array, beta: Array, mean: Array, var: Array, residual: Array | None, eps: float, axes: Ints
) -> bool:
    """As `supports_bfloat16`."""
    return supports_bfloat16(x, gamma, beta, residual, eps, axes) and channels.supports_bfloat16(
        x, mean, var, eps, axes
    )


def _is_like(residual: Array | None, x: Array) -> bool:
    return residual is None or bool(residual.dtype == x.dtype and residual.shape == x.shape and residual.flags.aligned)


class BatchNormalizationReLU:
    """Operation ``batch_normalization_relu``.

    Without a residual, backward computes the result anew to know where it was positive: to read it would take longer.
    """

    @staticmethod
    def forward(
        x: Array, gamma: Array, beta: Array, residual: Array | None, eps: float, axes: Ints
    ) -> tuple[Array, Array, Array, tuple[Any, ...]]:
        """See the reference."""
        y, (mean, var, inv_std), factors = normalize(x, gamma, beta, residual, eps, axes, 0.0)
        return y, mean, var, (inv_std, factors)

    @staticmethod
    def backward(
        x: Array,
        gamma: Array,
        mean: Array,
        kept: tuple[Any, ...],
        y: Array,
        gy: Array,
        residual: bool,
        axes: Ints,
    ) -> tuple[Array, Array, Array, Array | None]:
        """See the reference."""
        inv_std, factors = kept
        return differentiate(x, gamma, inv_std, factors, y if residual else None, gy, axes, 0.0)


class FixedBatchNormalizationReLU:
    """Operation ``batch_normalization_fixed_relu``."""

    @staticmethod
    def forward(
        x: Array, gamma: Array, beta: Array, mean: Array, var: Array, residual: Array | None, eps: float, axes: Ints
    ) -> Array:
        """See the reference."""
        gamma, beta, mean, var = singles(gamma, beta, mean, var)
        images = channels_last(x, axes)
        factors = np.empty((3, Matrix.of(images).width // gamma.size, gamma.size), np.float32)
        scale = gamma / np.sqrt(var + np.float32(eps))
        factors[0], factors[1], factors[2] = 0, scale, beta - mean * scale
        return apply(x, images, factors, residual, axes, 0.0)
