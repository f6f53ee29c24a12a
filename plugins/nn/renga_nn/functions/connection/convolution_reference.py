"""The reference implementation of convolution, its transpose and the gradient of its filters.

Each is a matrix product. The rows are positions of the window, and the columns are its elements, with the channels of
an element adjacent (im2col). This matrix is as large as the image times the window, so it is made for a few images at a
time. Results are stored with channels last, the order of the product; the caller sees the axes ``(N, C, *size)``.
Images in this order are copied faster. For groups of one channel, `depthwise_reference` is used.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from renga_core.backend import Array, get_array_module, get_backend
from renga_nn.functions.connection import depthwise_reference as depthwise

__all__ = ["convolution", "deconvolution", "filter_gradient"]

Ints = tuple[int, ...]

_BLOCK = 1 << 20
"""Number of elements of the matrix of windows: large enough for fast products, small enough for caches."""


def convolution(x: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> Array:
    """``y[n, o, p] = b[o] + sum over c, k of x[n, c, stride * p - pad + dilate * k] * W[o, c, k]``.

    Args:
        x: Images ``(N, C, *size)``.
        W: Filters ``(O, C / groups, *ksize)``.
        b: Bias ``(O,)``, or None.
        stride, pad, dilate: How the window moves.
        groups: Number of groups of channels.
        out: Number of window positions along each axis.

    Returns:
        Maps ``(N, O, *out)``, in the dtype of `x`.
    """
    if depthwise.is_depthwise(x.shape[1], groups):
        y = depthwise.convolution(_padded(x, W.shape[2:], stride, pad, dilate, out), W, stride, dilate, out)
    else:
        y = _grouped(x, W, stride, pad, dilate, groups, out)
    if b is not None:
        y += b
    return _channels_second(y)


def deconvolution(y: Array, W: Array, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints) -> Array:
    """``x[n, c, stride * p - pad + dilate * k] = b[c] + sum over o, p, k of y[n, o, p] * W[o, c, k]``.

    Args:
        y: Maps ``(N, O, *out)``.
        W: Filters ``(O, C / groups, *ksize)``.
        b: Bias ``(C,)``, or None.
        stride, pad, dilate, groups: See `convolution`.
        size: Size of the images along each axis.

    Returns:
        Images ``(N, C, *size)``, in the dtype of `y`.
    """
    axes = zip(size, y.shape[2:], W.shape[2:], stride, pad, dilate, strict=True)
    reached = tuple([max(n + p, (o - 1) * s + (k - 1) * d + 1) for n, o, k, s, p, d in axes])
    if depthwise.is_depthwise(W.shape[1] * groups, groups):
        x = depthwise.deconvolution(y, W, stride, dilate, groups, reached)
    else:
        x = _paint(y, W, stride, dilate, groups, reached)
    x = x[(slice(None), *[slice(p, p + n) for p, n in zip(pad, size, strict=True)])]
    if b is not None:
        x += b
    return _channels_second(x)


def filter_gradient(x: Array, y: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints) -> Array:
    """``W[o, c, k] = sum over n, p of x[n, c, stride * p - pad + dilate * k] * y[n, o, p]``.

    Args:
        x: Images ``(N, C, *size)``.
        y: Maps ``(N, O, *out)``.
        stride, pad, dilate, groups: See `convolution`.
        ksize: Size of the filters along each axis.

    Returns:
        Filters ``(O, C / groups, *ksize)``, in the dtype of `x`.
    """
    xp = get_array_module(x)
    out = y.shape[2:]
    if depthwise.is_depthwise(x.shape[1], groups):
        return depthwise.filter_gradient(_padded(x, ksize, stride, pad, dilate, out), y, stride, dilate, ksize)
    per_group = x.shape[1] // groups
    total = xp.zeros((groups, y.shape[1] // groups, math.prod(ksize) * per_group), dtype=x.dtype)
    for images, windows in _blocks(x, ksize, stride, pad, dilate, groups, out):
        total += xp.matmul(_group_matrices(y[images], groups).transpose(0, 2, 1), windows)
    return _channels_second(total.reshape(y.shape[1], *ksize, per_group))


def _grouped(x: Array, W: Array, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> Array:
    """Maps ``(N, *out, O)``, by a product of matrices for each group."""
    xp = get_array_module(x)
    filters = _filter_matrices(W, groups)
    y = xp.empty((x.shape[0], math.prod(out), groups, filters.shape[2]), dtype=x.dtype)
    for images, windows in _blocks(x, W.shape[2:], stride, pad, dilate, groups, out):
        product = xp.matmul(windows, filters)
        y[images] = product.transpose(1, 0, 2).reshape(y[images].shape)
    return y.reshape(x.shape[0], *out, W.shape[0])


def _paint(y: Array, W: Array, stride: Ints, dilate: Ints, groups: int, reached: Ints) -> Array:
    """Images ``(N, *reached, C)``, by a product of matrices for each group and element of a filter."""
    xp = get_array_module(y)
    ksize, out = W.shape[2:], y.shape[2:]
    filters = _filter_matrices(W, groups).transpose(0, 2, 1)
    maps = _group_matrices(y, groups)
    channels = W.shape[1] * groups
    x = xp.zeros((y.shape[0], *reached, channels), dtype=y.dtype)
    for i, offset in enumerate(itertools.product(*map(range, ksize))):
        part = xp.matmul(maps, filters[:, :, i * W.shape[1] : (i + 1) * W.shape[1]])
        seen = tuple(
            [slice(k * d, k * d + (o - 1) * s + 1, s) for k, d, o, s in zip(offset, dilate, out, stride, strict=True)]
        )
        x[(slice(None), *seen)] += part.transpose(1, 0, 2).reshape(y.shape[0], *out, channels)
    return x


def _filter_matrices(W: Array, groups: int) -> Array:
    """Filters as a matrix for each group: ``(groups, elements of a window, O / groups)``."""
    last = W.transpose(0, *range(2, W.ndim), 1)
    return last.reshape(groups, W.shape[0] // groups, -1).transpose(0, 2, 1)


def _group_matrices(y: Array, groups: int) -> Array:
    """Maps as a matrix for each group: ``(groups, positions, O / groups)``."""
    last = y.transpose(0, *range(2, y.ndim), 1)
    return last.reshape(-1, groups, y.shape[1] // groups).transpose(1, 0, 2)


def _channels_second(y: Array) -> Array:
    """Convert channels-last memory to a view ``(N, channels, *size)``."""
    return y.transpose(0, y.ndim - 1, *range(1, y.ndim - 1))


def _blocks(
    x: Array, ksize: Ints, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints
) -> Iterator[tuple[slice, Array]]:
    """Yield the windows of a few images at a time: ``(groups, positions, elements of a window)``."""
    elements = math.prod(out) * math.prod(ksize) * x.shape[1]
    step = max(1, _BLOCK // max(1, elements))
    axes = len(ksize)
    for start in range(0, x.shape[0], step):
        images = slice(start, min(start + step, x.shape[0]))
        padded = _channels_second(_padded(x[images], ksize, stride, pad, dilate, out))
        # (n, C, *out, *ksize), to be transposed to (groups, n, *out, *ksize, C / groups)
        windows = get_backend(x).sliding_windows(padded, ksize, stride, dilate)
        split = windows.reshape(windows.shape[0], groups, -1, *windows.shape[2:]) if groups > 1 else windows[:, None]
        split = split.transpose(1, 0, *range(3, 3 + 2 * axes), 2)
        yield images, split.reshape(groups, -1, math.prod(ksize) * split.shape[-1])


def _padded(x: Array, ksize: Ints, stride: Ints, pad: Ints, dilate: Ints, out: Ints) -> Array:
    """The images, padded with zeros up to the end of the last window: ``(N, *reached, C)``."""
    reached = tuple([(o - 1) * s + (k - 1) * d + 1 for o, s, k, d in zip(out, stride, ksize, dilate, strict=True)])
    xp = get_array_module(x)
    padded = xp.zeros((x.shape[0], *reached, x.shape[1]), dtype=x.dtype)
    inside = [slice(p, max(p, min(r, p + n))) for p, r, n in zip(pad, reached, x.shape[2:], strict=True)]
    seen = [slice(0, max(0, min(n, r - p))) for p, r, n in zip(pad, reached, x.shape[2:], strict=True)]
    last = x.transpose(0, *range(2, x.ndim), 1)
    padded[(slice(None), *inside)] = last[(slice(None), *seen)]
    return padded
