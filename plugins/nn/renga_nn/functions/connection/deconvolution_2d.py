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
    """2D transposed convolution: the transpose of `convolution_2d` (Zeiler et al. 2010), with the same arguments.

    Args:
        x: Maps ``(N, C, H, W)``.
        W: Filters ``(C, O / groups, kh, kw)``.
        b: Bias ``(O,)``, or None.
        stride: Distance between neighbouring filters in the result, in pixels.
        pad: Width of the border to cut off the result.
        outsize: Size ``(H', W')`` of the result. A convolution with a stride maps several sizes to one; this selects
            one of them. Default: the smallest.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups into which the channels are divided.

    Returns:
        Variable ``(N, O, H', W')`` with ``H' = stride (H - 1) + (kh - 1) dilate + 1 - 2 pad``, unless `outsize` is
        given.

    Raises:
        InvalidType: Axes, channels or dtypes do not fit together, or the result would be empty.
        ValueError: `stride`, `pad`, `dilate` or `groups` is invalid, or no convolution maps `outsize` to the size
            of `x`.

    >>> import numpy as np
    >>> x = np.array([[[[1, 2]]]], np.float32)
    >>> deconvolution_2d(x, np.ones((1, 1, 1, 2), np.float32), stride=2).array.tolist()
    [[[[1.0, 1.0, 2.0, 2.0]]]]
    """
    return deconvolve("deconvolution_2d", 2, x, W, b, stride, pad, outsize, dilate, groups)
