"""Convolution of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_nn.functions.connection.convolution_nd import convolve

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["convolution_2d"]


def convolution_2d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    cover_all: bool = False,
    *,
    dilate: int | Sequence[int] = 1,
    groups: int = 1,
) -> Variable:
    """2D convolution: ``y[n, o] = b[o] + sum over c of x[n, c] * W[o, c]``, where `*` is cross-correlation.

    Args:
        x: Images ``(N, C, H, W)``.
        W: Filters ``(O, C / groups, kh, kw)``.
        b: Bias ``(O,)``, or None.
        stride: Step of the window, in pixels; one number, or one for each axis, as for `pad` and `dilate`.
        pad: Width of the border of zeros around each image.
        cover_all: Let windows extend beyond the border at the end, so that each pixel is covered. The result may be
            larger.
        dilate: Distance between neighbouring elements of a filter (Yu & Koltun 2016).
        groups: Number of groups of channels; each group has its own filters (Krizhevsky et al. 2012).

    Returns:
        Variable ``(N, O, H', W')`` with ``H' = (H + 2 pad - (kh - 1) dilate - 1) // stride + 1``, rounded up with
        `cover_all`.

    Raises:
        InvalidType: Axes, channels or dtypes do not fit together, or the filters are larger than the padded image.
        ValueError: `stride`, `pad`, `dilate` or `groups` is invalid.

    >>> import numpy as np
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> convolution_2d(x, np.ones((1, 1, 3, 3), np.float32), pad=1, stride=2).array.tolist()
    [[[[10.0, 24.0], [51.0, 90.0]]]]
    """
    return convolve("convolution_2d", 2, x, W, b, stride, pad, cover_all, dilate, groups)
