"""Deformable convolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.connection import deformable_convolution_2d_sampler
from renga_nn.functions.window import per_axis
from renga_nn.links.convolution_2d import Convolution2D
from renga_nn.links.filters import Filters

__all__ = ["DeformableConvolution2D"]


class DeformableConvolution2D(Chain):
    """A convolution whose window elements are moved by offsets from another convolution (Dai et al. 2017, 2.1).

    See `renga.functions.deformable_convolution_2d_sampler`.

    Args:
        in_channels: Number of input channels; None: from the first input.
        out_channels: Number of filters, which is the number of output channels.
        ksize: Size of a filter: one number, or a pair.
        stride, pad: Step of the window, and width of the border of zeros.
        offset_nobias: Omit the bias of the offsets.
        offset_initialW: Initializer of the offset filters. Default: zero, which makes it a plain convolution at first.
        offset_initial_bias: Initializer of the offset bias. Default: zero.
        deform_nobias, deform_initialW, deform_initial_bias: See `nobias`, `initialW` and `initial_bias` of
            `Convolution2D`.

    Attributes:
        offset_conv: The convolution that computes the offsets.
        deform_conv: The filters.

    >>> import numpy as np
    >>> layer = DeformableConvolution2D(3, 8, ksize=3, pad=1)
    >>> layer(np.ones((1, 3, 8, 8), np.float32)).shape
    (1, 8, 8, 8)
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        offset_nobias: bool = False,
        offset_initialW: Any = None,
        offset_initial_bias: Any = None,
        deform_nobias: bool = False,
        deform_initialW: Any = None,
        deform_initial_bias: Any = None,
    ) -> None:
        super().__init__()
        rows, columns = per_axis("DeformableConvolution2D", "ksize", ksize, 2)
        with self.init_scope():
            self.offset_conv = Convolution2D(
                in_channels,
                2 * rows * columns,
                (rows, columns),
                stride,
                pad,
                offset_nobias,
                0 if offset_initialW is None else offset_initialW,
                offset_initial_bias,
            )
            self.deform_conv = DeformableConvolution2DSampler(
                in_channels,
                out_channels,
                (rows, columns),
                stride,
                pad,
                deform_nobias,
                deform_initialW,
                deform_initial_bias,
            )

    def forward(self, x: Any) -> Variable:
        """Convolve images ``(N, in_channels, H, W)``."""
        y: Variable = self.deform_conv(x, self.offset_conv(x))
        return y


class DeformableConvolution2DSampler(Filters):
    """The filters, applied at given offsets; arguments as for `Convolution2D`."""

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__(2, in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, 1, 1)

    def forward(self, x: Any, offset: Any) -> Variable:
        """Convolve images ``(N, in_channels, H, W)``, with each element of the window moved by `offset`."""
        if self.W.array is None:
            self._initialize(x.shape[1])
        return deformable_convolution_2d_sampler(x, offset, self.W, self.b, self.stride, self.pad)

    def _filter_channels(self, in_channels: int) -> tuple[int, int]:
        return self.out_channels, in_channels
