"""Convolutions with 1 × 1 filters, as in the bottlenecks of residual networks: one matrix product each.

The references copy images into a matrix of windows and back. Here nothing is copied if the channels are last in memory,
as in the results of convolutions. For other images the references are as fast.
"""

from __future__ import annotations

from typing import Any

from renga_backend_numpy.kernels.product import multiply
from renga_core.backend import Array

__all__ = ["Convolution", "Deconvolution", "FilterGradient", "supports", "supports_filter_gradient"]

Ints = tuple[int, ...]


def supports(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> bool:
    """Whether each pixel of the result depends only on the input pixel at the same position."""
    return (
        _pointwise(W.shape[2:], stride, pad, groups)
        and tuple(x.shape[2:]) == tuple(out)
        and _channels_last(x)
        and x.dtype == W.dtype
    )


def supports_filter_gradient(
    x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints
) -> bool:
    """Same as `supports`."""
    return (
        _pointwise(ksize, stride, pad, groups)
        and x.shape[2:] == y.shape[2:]
        and _channels_last(x)
        and _channels_last(y)
        and x.dtype == y.dtype
    )


def _pointwise(ksize: Ints, stride: Ints, pad: Ints, groups: int) -> bool:
    return groups == 1 and set(ksize) == {1} == set(stride) and not any(pad)


def _channels_last(x: Array) -> bool:
    return bool(x.transpose(0, *range(2, x.ndim), 1).flags.c_contiguous)


def _pixels(x: Array) -> Array:
    """Images as a matrix with one row per pixel; a view, because the channels are last in memory."""
    return x.transpose(0, *range(2, x.ndim), 1).reshape(-1, x.shape[1])


def _images(pixels: Array, like: Array) -> Array:
    """Turn a matrix with one row per pixel back into images of the size of `like`."""
    images = pixels.reshape(like.shape[0], *like.shape[2:], pixels.shape[1])
    return images.transpose(0, images.ndim - 1, *range(1, images.ndim - 1))


class Convolution:
    """Operation ``convolution``."""

    @staticmethod
    def forward(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> Array:
        """See the reference."""
        y = multiply(_pixels(x), W.reshape(W.shape[:2]).T)
        if b is not None:
            y += b
        return _images(y, x)


class Deconvolution:
    """Operation ``deconvolution``."""

    @staticmethod
    def forward(y: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints) -> Array:
        """See the reference."""
        x = multiply(_pixels(y), W.reshape(W.shape[:2]))
        if b is not None:
            x += b
        return _images(x, y)


class FilterGradient:
    """Operation ``convolution_filter_gradient``."""

    @staticmethod
    def forward(x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints) -> Array:
        """See the reference."""
        return multiply(_pixels(y).T, _pixels(x)).reshape(y.shape[1], x.shape[1], *ksize)
