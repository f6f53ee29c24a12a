"""Transposed convolution of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_nn.functions.connection.deconvolution_nd import deconvolve

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["deconvolution_2d"]


def deconvolution_2d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    outsize: Sequence[int] | None = None,
    *,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """Paint filters into images: the transpose of `convolution_2d` (Zeiler et al. 2010), with its arguments.

    Args:
        x: Maps ``(N, C, H, W)``: how strongly to paint each filter, and where.
        W: Filters ``(C, O / groups, kh, kw)``.
        b: Bias ``(O,)``, or None.
        stride: Distance of neighbouring places to paint, in pixels of the result.
        pad: Width of the border that is cut off the result.
        outsize: Size ``(H', W')`` of the result. Several sizes are shrunk to one by a convolution with a stride; this
            says which was meant. Default: the smallest.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups into which the channels are divided.

    Returns:
        Variable ``(N, O, H', W')`` with ``H' = stride (H - 1) + (kh - 1) dilate + 1 - 2 pad``, unless `outsize` is
        given.

    Raises:
        InvalidType: Axes, channels or dtypes do not fit together, or nothing would be left of the result.
        ValueError: `stride`, `pad`, `dilate` or `groups` makes no sense, or no convolution maps `outsize` to the size
            of `x`.

    >>> import numpy as np
    >>> x = np.array([[[[1, 2]]]], np.float32)
    >>> deconvolution_2d(x, np.ones((1, 1, 1, 2), np.float32), stride=2).array.tolist()
    [[[[1.0, 1.0, 2.0, 2.0]]]]
    """
    return deconvolve("deconvolution_2d", 2, x, W, b, stride, pad, outsize, dilate, groups)
