"""Convolution with separate filters for each position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.connection import local_convolution_2d
from renga_nn.functions.window import conv_outsize, per_axis
from renga_nn.initializers import get_initializer
from renga_nn.links.bias import bias
from renga_nn.links.filters import in_shape

__all__ = ["LocalConvolution2D"]


class LocalConvolution2D(Link):
    """Convolution with separate trained filters for each position; see `renga.functions.local_convolution_2d`.

    Args:
        in_channels: Number of input channels; None: from the first input.
        out_channels: Number of filters per position, which is the number of output channels.
        in_size: Size of the images: one number, or a pair; None: from the first input.
        ksize: Size of a filter: one number, or a pair.
        stride: Step of the window.
        nobias: Omit the bias.
        initialW: Initializer of `W`; see `renga.initializers`. Default: LeCunNormal with a fan-in of ``in_channels * kh
            * kw``.
        initial_bias: Initializer of `b`. Default: zero.

    Raises:
        TypeError: The filter size is missing.
        ValueError: Images of `in_size` are smaller than the filters.

    Attributes:
        W: Filters ``(out_channels, H', W', in_channels, kh, kw)``, for a result of size ``(H', W')``.
        b: Bias ``(out_channels, H', W')``, or None.

    >>> import numpy as np
    >>> layer = LocalConvolution2D(3, 4, in_size=8, ksize=3)
    >>> layer(np.ones((1, 3, 8, 8), np.float32)).shape
    (1, 4, 6, 6)
    """

    b: Parameter | None

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        in_size: int | Sequence[int] | None = None,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        if ksize is None:
            raise TypeError("LocalConvolution2D needs the size of its filters: LocalConvolution2D(None, 16, ksize=3)")
        self.out_channels = out_channels
        self.ksize = per_axis("LocalConvolution2D", "ksize", ksize, 2)
        self.stride = per_axis("LocalConvolution2D", "stride", stride, 2)
        with self.init_scope():
            self.W = Parameter(get_initializer(initialW))
            self.b = None if nobias else bias(initial_bias)
        if in_channels is not None and in_size is not None:
            self._initialize(in_channels, per_axis("LocalConvolution2D", "in_size", in_size, 2))

    def forward(self, x: Any) -> Variable:
        """Convolve images ``(N, in_channels, H, W)``."""
        if self.W.array is None:
            self._initialize(x.shape[1], x.shape[2:])
        return local_convolution_2d(x, self.W, self.b, self.stride)

    def _initialize(self, in_channels: int, size: Sequence[int]) -> None:
        axes = zip(size, self.ksize, self.stride, strict=True)
        rows, columns = (conv_outsize(n, k, s, 0) for n, k, s in axes)
        if min(rows, columns) < 1:
            raise ValueError(f"LocalConvolution2D: images of {tuple(size)} are smaller than filters of {self.ksize}")
        filter_shape = (in_channels, *self.ksize)
        self.W.initializer = in_shape(self.W.initializer, (self.out_channels * rows * columns, *filter_shape))
        self.W.initialize((self.out_channels, rows, columns, *filter_shape))
        if self.b is not None:
            self.b.initialize((self.out_channels, rows, columns))
