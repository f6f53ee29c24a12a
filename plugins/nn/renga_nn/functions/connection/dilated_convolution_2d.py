"""Dilated convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_nn.functions.connection.convolution_nd import convolve

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["dilated_convolution_2d"]


def dilated_convolution_2d(
    x: Any,
    W: Any,
    b: Any = None,
    stride: int | Sequence[int] = 1,
    pad: int | Sequence[int] = 0,
    dilate: int | Sequence[int] = 1,
    cover_all: bool = False,
) -> Variable:
    """`convolution_2d` with its argument `dilate` in another position (Yu & Koltun 2016).

    Args:
        x, W, b, stride, pad, cover_all: See `convolution_2d`.
        dilate: Distance between neighbouring elements of a filter.

    Returns:
        Variable ``(N, O, H', W')`` with ``H' = (H + 2 pad - (kh - 1) dilate - 1) // stride + 1``, rounded up with
        `cover_all`.

    Raises:
        InvalidType, ValueError: See `convolution_2d`.

    >>> import numpy as np
    >>> x = np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3)
    >>> dilated_convolution_2d(x, np.ones((1, 1, 2, 2), np.float32), dilate=2).array.tolist()
    [[[[16.0]]]]
    """
    return convolve("dilated_convolution_2d", 2, x, W, b, stride, pad, cover_all, dilate, 1)
