"""Dilated convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_nn.links.convolution_2d import FiltersOverImages

__all__ = ["DilatedConvolution2D"]


class DilatedConvolution2D(FiltersOverImages):
    """`Convolution2D` with its argument `dilate` in another position; the others are the same.

    >>> import numpy as np
    >>> layer = DilatedConvolution2D(3, 8, ksize=3, pad=2, dilate=2)
    >>> layer(np.ones((1, 3, 16, 16), np.float32)).shape
    (1, 8, 16, 16)
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        dilate: int | Sequence[int] = 1,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__(2, in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, dilate, 1)
