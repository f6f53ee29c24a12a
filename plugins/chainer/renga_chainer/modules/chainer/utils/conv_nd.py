"""``chainer.utils.conv_nd``: im2col and col2im for any number of dimensions.

Each element of the window takes one strided slice of the image, so this works on arrays of any library.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from renga_core.backend import Array, get_array_module
from renga_nn.functions.window import conv_outsize as get_conv_outsize

__all__ = [
    "as_tuple",
    "col2im_nd",
    "col2im_nd_cpu",
    "col2im_nd_gpu",
    "get_conv_outsize",
    "im2col_nd",
    "im2col_nd_cpu",
    "im2col_nd_gpu",
]

Sizes = Sequence[int]


def as_tuple(x: Any, n: int) -> tuple[int, ...]:
    """Return a tuple of `n` numbers, from one number or from `n`."""
    if not hasattr(x, "__getitem__"):
        return (x,) * n
    assert len(x) == n, f"expected {n} numbers, not {len(x)}"
    return tuple(x)


def im2col_nd_cpu(
    img: Array, ksize: Sizes, stride: Sizes, pad: Sizes, pval: float = 0, cover_all: bool = False, dilate: Any = 1
) -> Array:
    """Return the windows of an image.

    Args:
        img: ``(N, C, *dims)``.
        ksize, stride, pad: One number for each axis of the image.
        pval: Value of the padding.
        cover_all: Let the last windows reach beyond the end.
        dilate: Dilation of the window.

    Returns:
        ``(N, C, *ksize, *outs)``.
    """
    dims = img.shape[2:]
    assert len(dims) == len(ksize) == len(stride) == len(pad), "one size, stride and padding for each axis of the image"
    dilate = as_tuple(dilate, len(dims))
    windows = zip(dims, ksize, stride, pad, dilate, strict=True)
    outs = [get_conv_outsize(size, k, s, p, cover_all, d) for size, k, s, p, d in windows]
    return _windows(img, ksize, stride, pad, pval, dilate, outs)


def _windows(img: Array, ksize: Sizes, stride: Sizes, pad: Sizes, pval: float, dilate: Sizes, outs: Sizes) -> Array:
    assert min(outs) > 0, f"Output sizes should be positive: {outs}"
    xp = get_array_module(img)
    shape = [d + 2 * p + s - 1 for d, p, s in zip(img.shape[2:], pad, stride, strict=True)]
    padded = xp.full((*img.shape[:2], *shape), pval, dtype=img.dtype)
    padded[_inner(img.shape[2:], pad)] = img
    col = xp.empty((*img.shape[:2], *ksize, *outs), dtype=img.dtype)
    for within, where in _positions(ksize, stride, dilate, outs):
        col[within] = padded[where]
    return col


def col2im_nd_cpu(col: Array, stride: Sizes, pad: Sizes, dims: Sizes, dilate: Any = 1) -> Array:
    """Return the image whose elements are the sums of their copies in windows.

    Args:
        col: ``(N, C, *ksize, *outs)``.
        stride, pad, dilate: As in `im2col_nd_cpu`.
        dims: Sizes of the image.

    Returns:
        ``(N, C, *dims)``.
    """
    n = len(dims)
    ksize, outs = col.shape[2 : 2 + n], col.shape[2 + n :]
    shape = [d + 2 * p + s - 1 for d, p, s in zip(dims, pad, stride, strict=True)]
    img = get_array_module(col).zeros((*col.shape[:2], *shape), dtype=col.dtype)
    for within, where in _positions(ksize, stride, as_tuple(dilate, n), outs):
        img[where] += col[within]
    return img[_inner(dims, pad)]


def _inner(dims: Sizes, pad: Sizes) -> tuple[slice, ...]:
    """Index of the image inside its padding."""
    return (slice(None), slice(None), *[slice(p, p + d) for d, p in zip(dims, pad, strict=True)])


def _positions(
    ksize: Sizes, stride: Sizes, dilate: Sizes, outs: Sizes
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """For each element of the window, yield its index in the columns and the slice of the image."""
    both = (slice(None), slice(None))
    for element in itertools.product(*map(range, ksize)):
        starts = [k * d for k, d in zip(element, dilate, strict=True)]
        places = [slice(a, a + s * out, s) for a, s, out in zip(starts, stride, outs, strict=True)]
        yield (*both, *element), (*both, *places)


def im2col_nd(img: Array, ksize: Sizes, stride: Sizes, pad: Sizes, cover_all: bool = False, dilate: Any = 1) -> Array:
    """Like `im2col_nd_cpu`, with zeros as padding."""
    return im2col_nd_cpu(img, ksize, stride, pad, 0, cover_all, dilate)


im2col_nd_gpu = im2col_nd
col2im_nd = col2im_nd_gpu = col2im_nd_cpu
