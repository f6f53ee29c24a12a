"""A layer of filters whose windows adapt to what they see."""

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
    """A convolution whose elements are moved by what another one says (Dai et al. 2017, section 2.1).

    See `renga.functions.deformable_convolution_2d_sampler`.

    Args:
        in_channels: Number of channels of the images; None to take it from the first input.
        out_channels: Number of filters, and of channels of the result.
        ksize: Size of a filter: one number, or a pair.
        stride, pad: Step of the window, and border of zeros around images.
        offset_nobias: Leave the bias of the offsets out.
        offset_initialW: Initializer of the filters that say where to look. Default: zero, so that at first it is a
            plain convolution.
        offset_initial_bias: Initializer of their bias. Default: zero.
        deform_nobias, deform_initialW, deform_initial_bias: As `nobias`, `initialW` and `initial_bias` of
            `Convolution2D`.

    Attributes:
        offset_conv: The convolution that says where to look.
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
    """The filters, applied where it is told; arguments as of `Convolution2D`."""

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
