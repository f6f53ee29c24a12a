"""Batch normalization in training, with statistics per channel; the channels are axis 1 or the last axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address
from renga_core.backend import Array
from renga_kernels_numba.channels import Ints, Matrix, as_before, channels_last, singles, supports, supports_bfloat16
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.loops.pieces import CHANNELS

__all__ = ["NO_FLOOR", "BatchNormalization", "apply", "differentiate", "normalize", "supports", "supports_bfloat16"]

NO_FLOOR = math.nan
"""The floor of results without ReLU: no number is less than NaN."""

_STATISTICS = Loop("batch_normalization:statistics", "f4* f4* f4* f4* f4* f8* i8 i8 i8 i8 f8")
_GRADIENT_FACTORS = Loop("batch_normalization_gradient:gradient_factors", "f4* f4* f4* f4* f4* f8* i8 i8 i8 i8")


class _Loops:
    """The loops over all elements, for arrays of float32 or bfloat16.

    Args:
        x: Type of a pointer to an element: ``f4*`` or ``u2*``.
    """

    def __init__(self, x: str) -> None:
        self.moments = Loop("batch_normalization:moments", f"{x} f4* i8 i8 i8")
        self.apply = Loop("batch_normalization:apply", f"{x} {x} f4* i8 i8 i8 f8")
        self.apply_residual = Loop("batch_normalization:apply_residual", f"{x} {x} {x} f4* i8 i8 i8")
        self.gradient_sums = Loop("batch_normalization_gradient:gradient_sums", f"{x} {x} f4* f4* i8 i8 i8 f8")
        self.gradient_sums_residual = Loop(
            "batch_normalization_gradient:gradient_sums_residual", f"{x} {x} {x} {x} f4* f4* i8 i8 i8"
        )
        self.gradient = Loop("batch_normalization_gradient:gradient", f"{x} {x} {x} f4* i8 i8 i8 f8")


_LOOPS = {4: _Loops("f4*"), 2: _Loops("u2*")}
"""By the size of an element."""


class BatchNormalization:
    """Operation ``batch_normalization``."""

    @staticmethod
    def forward(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> tuple[Array, Array, Array, Array]:
        """See the reference."""
        y, (mean, var, inv_std), _ = normalize(x, gamma, beta, None, eps, axes, NO_FLOOR)
        return y, mean, var, inv_std

    @staticmethod
    def backward(
        x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array, axes: Ints
    ) -> tuple[Array, Array, Array]:
        """See the reference."""
        width = Matrix.of(channels_last(x, axes)).width
        factors = np.zeros((3, width // gamma.size, gamma.size), np.float32)
        factors[0] = mean
        gx, ggamma, gbeta, _ = differentiate(x, gamma, inv_std, factors, None, gy, axes, NO_FLOOR)
        return gx, ggamma, gbeta


def normalize(
    x: Array, gamma: Array, beta: Array, residual: Array | None, eps: float, axes: Ints, floor: float
) -> tuple[Array, Array, Array]:
    """Normalize, and add a residual if there is one.

    Args:
        x, gamma, beta, residual, eps, axes: As of the operations.
        floor: Least value of a result: 0 with a residual.

    Returns:
        The result; mean, variance and one over the standard deviation, ``(3, channels)``; and the factors of `apply`.
    """
    images = channels_last(x, axes)
    gamma, beta = singles(gamma, beta)
    rows, width, size, blocks = Matrix.of(images)
    channels = gamma.size
    sums = np.empty((blocks, 3, width), np.float32)
    results, factors = np.empty((3, channels), np.float32), np.empty((3, width), np.float32)
    work = np.empty((2, channels))
    _LOOPS[images.itemsize].moments(blocks, address(images), address(sums), rows, width, size)
    places = map(address, (sums, gamma, beta, results, factors, work))
    _STATISTICS(-(-channels // CHANNELS), *places, rows, size, channels, width // channels, eps)
    return apply(x, images, factors, residual, axes, floor), results, factors


def apply(x: Array, images: Array, factors: Array, residual: Array | None, axes: Ints, floor: float) -> Array:
    """``max((x - factors[0]) * factors[1] + factors[2] + residual, floor)``.

    Args:
        x: The array.
        images: The same, from `channels_last`.
        factors: Float32 ``(3, width)``, with the width of its `Matrix`.
        residual, axes, floor: As of `normalize`.
    """
    loops, y = _LOOPS[images.itemsize], np.empty(images.shape, images.dtype)
    rows, width, size, blocks = Matrix.of(images)
    if residual is None:
        loops.apply(blocks, *map(address, (images, y, factors)), rows, width, size, floor)
    else:
        added = channels_last(residual, axes)
        loops.apply_residual(blocks, *map(address, (images, added, y, factors)), rows, width, size)
    return as_before(y, x, axes)


def differentiate(
    x: Array, gamma: Array, inv_std: Array, factors: Array, y: Array | None, gy: Array, axes: Ints, floor: float
) -> tuple[Array, Array, Array, Array | None]:
    """Gradients of x, gamma, beta, and the residual.

    Args:
        x, gamma, inv_std, gy, axes: As of the operations.
        factors: From `normalize`. With `NO_FLOOR`, the means alone are read.
        y: The result if there was a residual, else None.
        floor: As of `normalize`.
    """
    images, gradient = channels_last(x, axes), channels_last(gy.astype(x.dtype, copy=False), axes)
    gamma, inv_std = singles(gamma, inv_std)
    loops = _LOOPS[images.itemsize]
    rows, width, size, blocks = Matrix.of(images)
    channels = gamma.size
    all_factors = np.empty((6, width), np.float32)
    all_factors[:3] = factors.reshape(3, width)
    sums = np.empty((blocks, 2, width), np.float32)
    results, work = np.empty((2, channels), np.float32), np.empty((2, channels))
    gresidual: Array | None = None
    if y is None:
        places: Any = map(address, (images, gradient, all_factors, sums))
        loops.gradient_sums(blocks, *places, rows, width, size, floor)
    else:
        passed = np.empty(images.shape, images.dtype)
        places = map(address, (images, gradient, channels_last(y, axes), passed, all_factors, sums))
        loops.gradient_sums_residual(blocks, *places, rows, width, size)
        gradient, floor, gresidual = passed, NO_FLOOR, as_before(passed, x, axes)
    places = map(address, (sums, gamma, inv_std, results, all_factors, work))
    _GRADIENT_FACTORS(-(-channels // CHANNELS), *places, rows, size, channels, width // channels)
    gx = np.empty(images.shape, images.dtype)
    loops.gradient(blocks, *map(address, (images, gradient, gx, all_factors)), rows, width, size, floor)
    ggamma, gbeta = results
    return as_before(gx, x, axes), ggamma, gbeta, gresidual
