"""Depthwise convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.connection import depthwise_convolution_2d
from renga_nn.functions.window import per_axis
from renga_nn.initializers import get_initializer
from renga_nn.links.bias import bias
from renga_nn.links.filters import in_shape

__all__ = ["DepthwiseConvolution2D"]


class DepthwiseConvolution2D(Link):
    """Convolution of each channel separately, with trained filters; see `renga.functions.depthwise_convolution_2d`.

    Args:
        in_channels: Number of input channels; None: from the first input.
        channel_multiplier: Number of filters per channel.
        ksize: Size of a filter: one number, or a pair.
        stride, pad: Step of the window, and width of the border of zeros.
        nobias: Omit the bias.
        initialW: Initializer of `W`; see `renga.initializers`. Default: LeCunNormal with a fan-in of ``kh * kw``.
        initial_bias: Initializer of `b`. Default: zero.

    Attributes:
        W: Filters ``(channel_multiplier, in_channels, kh, kw)``.
        b: Bias ``(in_channels * channel_multiplier,)``, or None.

    >>> import numpy as np
    >>> layer = DepthwiseConvolution2D(3, channel_multiplier=2, ksize=3, pad=1)
    >>> layer(np.ones((1, 3, 8, 8), np.float32)).shape
    (1, 6, 8, 8)
    """

    b: Parameter | None

    def __init__(
        self,
        in_channels: int | None,
        channel_multiplier: int,
        ksize: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        self.channel_multiplier = channel_multiplier
        self.ksize = per_axis("DepthwiseConvolution2D", "ksize", ksize, 2)
        self.stride = stride
        self.pad = pad
        with self.init_scope():
            self.W = Parameter(get_initializer(initialW))
            self.b = None if nobias else bias(initial_bias)
        if in_channels is not None:
            self._initialize(in_channels)

    def forward(self, x: Any) -> Variable:
        """Convolve images ``(N, in_channels, H, W)``."""
        if self.W.array is None:
            self._initialize(x.shape[1])
        return depthwise_convolution_2d(x, self.W, self.b, self.stride, self.pad)

    def _initialize(self, in_channels: int) -> None:
        filters = in_channels * self.channel_multiplier
        self.W.initializer = in_shape(self.W.initializer, (filters, 1, *self.ksize))
        self.W.initialize((self.channel_multiplier, in_channels, *self.ksize))
        if self.b is not None:
            self.b.initialize((filters,))
