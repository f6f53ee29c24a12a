"""Batch normalization, in training and with given statistics; statistics for each channel, of axis 1 or the last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_backend_numpy.arrays import address, is_bfloat16, is_single
from renga_core.backend import Array
from renga_kernels_onednn.cache import find, same_bits
from renga_kernels_onednn.handles import Description, number
from renga_kernels_onednn.layout import channels_last, empty_images, image_layout
from renga_kernels_onednn.library import (
    BACKWARD,
    DIFF_DST,
    DIFF_SCALE,
    DIFF_SHIFT,
    DIFF_SRC,
    DST,
    FORWARD_INFERENCE,
    FORWARD_TRAINING,
    GIVEN_STATISTICS,
    MEAN,
    SCALE,
    SHIFT,
    SRC,
    USE_SCALE,
    USE_SHIFT,
    VARIANCE,
)
from renga_kernels_onednn.primitive import Primitive

__all__ = [
    "BatchNormalization",
    "FixedBatchNormalization",
    "supports",
    "supports_bfloat16",
    "supports_fixed",
    "supports_fixed_bfloat16",
]

Ints = tuple[int, ...]


def supports(
    x: Array, gamma: Array, beta: Array, eps: float, axes: Ints, are_of_dtype: Callable[..., bool] = is_single
) -> bool:
    """Whether these are float32 arrays with statistics for each element of one axis, the second or the last."""
    return are_of_dtype(x, gamma, beta) and gamma.ndim == 1 and (_is_second(x, axes) or _is_last(x, axes))


def supports_bfloat16(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> bool:
    """As `supports` of bfloat16; scale and shift may be float32, which a link keeps them in."""
    return is_bfloat16(x) and supports(x, gamma, beta, eps, axes, _are_either)


def _are_either(*arrays: Any) -> bool:
    return all(is_single(x) or is_bfloat16(x) for x in arrays)


def supports_fixed(x: Array, gamma: Array, beta: Array, mean: Array, var: Array, eps: float, axes: Ints) -> bool:
    """As `supports`."""
    return supports(x, gamma, beta, eps, axes) and is_single(mean, var)


def supports_fixed_bfloat16(
    x: Array, gamma: Array, beta: Array, mean: Array, var: Array, eps: float, axes: Ints
) -> bool:
    """As `supports_bfloat16`."""
    return supports_bfloat16(x, gamma, beta, eps, axes) and _are_either(mean, var)


def _is_second(x: Array, axes: Ints) -> bool:
    return 2 <= x.ndim <= 5 and tuple(axes) == (0, *range(2, x.ndim))


def _is_last(x: Array, axes: Ints) -> bool:
    return x.ndim >= 2 and tuple(axes) == tuple(range(x.ndim - 1))


class BatchNormalization:
    """Operation ``batch_normalization``."""

    @staticmethod
    def forward(x: Array, gamma: Array, beta: Array, eps: float, axes: Ints) -> tuple[Array, Array, Array, Array]:
        """See the reference."""
        images = _images(x, axes)
        y = empty_images(images.shape, x.dtype)
        mean, var = np.empty((2, gamma.size), np.float32)
        scale, shift = _singles(gamma, beta)
        compute = find(_work(images), _training, images.shape, images.itemsize, float(eps))
        compute(*map(address, (images, scale, shift, y, mean, var)))
        return _shaped(y, x, axes), mean, var, 1 / np.sqrt(var + np.float32(eps))

    @staticmethod
    def backward(
        x: Array, gamma: Array, mean: Array, inv_std: Array, gy: Array, axes: Ints
    ) -> tuple[Array, Array, Array]:
        """See the reference."""
        images, gradient = _images(x, axes), _images(gy, axes)
        gx = empty_images(images.shape, x.dtype)
        ggamma, gbeta = np.empty((2, gamma.size), np.float32)
        # Backward has no argument eps: pass the variance with eps added.
        scale, var, mean = _singles(gamma, inv_std**-2, mean)
        compute = find(_work(images), _gradient, images.shape, images.itemsize)
        compute(*map(address, (images, scale, mean, var, gradient, gx, ggamma, gbeta)))
        return _shaped(gx, x, axes), ggamma, gbeta


class FixedBatchNormalization:
    """Operation ``batch_normalization_fixed``."""

    @staticmethod
    def forward(x: Array, gamma: Array, beta: Array, mean: Array, var: Array, eps: float, axes: Ints) -> Array:
        """See the reference."""
        images = _images(x, axes)
        y = empty_images(images.shape, x.dtype)
        given = _singles(gamma, beta, mean, var)
        compute = find(images.size, _fixed, images.shape, images.itemsize, float(eps))
        compute(address(images), *map(address, given), address(y))
        return _shaped(y, x, axes)


def _work(images: Array) -> int:
    """The size to pass to `find`. In bfloat16 one thread computes: sums of several threads depend on their number.
    The loops of numba, which come first, use all threads.
    """
    return 0 if images.itemsize == 2 else int(images.size)


def _singles(*arrays: Array) -> list[Array]:
    """Return a value per channel in float32, which oneDNN requires even for bfloat16 images."""
    return [np.ascontiguousarray(a, np.float32) for a in arrays]


def _images(x: Array, axes: Ints) -> Array:
    """`x` with its channels on axis 1 and last in memory, and at least one axis after them."""
    if _is_last(x, axes):
        pixels = np.ascontiguousarray(x).reshape(1, -1, x.shape[-1])
        return pixels.transpose(0, 2, 1)
    return channels_last(x)


def _shaped(y: Array, x: Array, axes: Ints) -> Array:
    """The result in the shape that `x` has."""
    return y.transpose(0, 2, 1).reshape(x.shape) if _is_last(x, axes) else y


def _training(shape: Ints, itemsize: int, eps: float) -> Primitive:
    return Primitive(_forward(FORWARD_TRAINING, shape, itemsize, eps), (SRC, SCALE, SHIFT, DST, MEAN, VARIANCE))


@same_bits
def _fixed(shape: Ints, itemsize: int, eps: float) -> Primitive:
    forward = _forward(FORWARD_INFERENCE, shape, itemsize, eps, GIVEN_STATISTICS)
    return Primitive(forward, (SRC, SCALE, SHIFT, MEAN, VARIANCE, DST))


def _gradient(shape: Ints, itemsize: int) -> Primitive:
    layout, flags = image_layout(shape, itemsize), USE_SCALE | USE_SHIFT
    kind, forward = "batch_normalization_backward", _forward(FORWARD_TRAINING, shape, itemsize, 0.0)
    description = Description(kind, BACKWARD, layout, layout, layout, number(0.0), flags, forward)
    arguments = (SRC, SCALE, MEAN, VARIANCE, DIFF_DST, DIFF_SRC, DIFF_SCALE, DIFF_SHIFT)
    return Primitive(description, arguments)


def _forward(kind: int, shape: Ints, itemsize: int, eps: float, more: int = 0) -> Description:
    layout, flags = image_layout(shape, itemsize), USE_SCALE | USE_SHIFT | more
    return Description("batch_normalization_forward", kind, layout, layout, number(eps), flags)
