"""Convolutional layers for images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_nn.functions.connection import convolution_2d, deconvolution_2d
from renga_nn.links.bias import bias_given
from renga_nn.links.filters import Filters

__all__ = ["Convolution2D", "Deconvolution2D"]


class FiltersOverImages(Filters):
    """The base of `Convolution2D` and `DilatedConvolution2D`."""

    def forward(self, x: Any) -> Variable:
        """Convolve images ``(N, in_channels, H, W)``."""
        if self.W.array is None:
            self._initialize(x.shape[1])
        return convolution_2d(x, self.W, self.b, self.stride, self.pad, dilate=self.dilate, groups=self.groups)

    def _filter_channels(self, in_channels: int) -> tuple[int, int]:
        return self.out_channels, in_channels // self.groups


class Convolution2D(FiltersOverImages):
    """2D convolution with trained filters; `renga.functions.convolution_2d` describes the arguments.

    Args:
        in_channels: Number of input channels; None: from the first input.
        out_channels: Number of filters, which is the number of output channels.
        ksize: Size of a filter: one number, or a pair. ``Convolution2D(n, k)`` is short for
            ``Convolution2D(None, n, k)``.
        stride, pad: Step of the window, and width of the border of zeros.
        nobias: Omit the bias.
        initialW: Initializer of `W`; see `renga.initializers`. Default: LeCunNormal.
        initial_bias: Initializer of `b`. Default: zero.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups of channels; each group has its own filters.

    Raises:
        TypeError: The filter size is missing.
        ValueError: `groups` does not divide the channels.

    Attributes:
        W: Filters ``(out_channels, in_channels / groups, kh, kw)``.
        b: Bias ``(out_channels,)``, or None.

    >>> import numpy as np
    >>> layer = Convolution2D(3, 8, ksize=3, pad=1)
    >>> layer(np.ones((2, 3, 32, 32), np.float32)).shape
    (2, 8, 32, 32)
    """

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
        *,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(
            2, in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, dilate, groups
        )

    @staticmethod
    def from_params(
        W: Any,
        b: Any = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        *,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> Convolution2D:
        """Make a layer with these filters.

        Args:
            W: Array or Variable ``(out_channels, in_channels / groups, kh, kw)``.
            b: Array or Variable ``(out_channels,)``; None for zeros.
            stride, pad, nobias, dilate, groups: See the class.

        Raises:
            ValueError: `b` is given although `nobias` is set.
        """
        out_channels, group_channels, *ksize = W.shape
        W, b = getattr(W, "array", W), bias_given("Convolution2D", b, nobias)
        in_channels = group_channels * groups
        return Convolution2D(in_channels, out_channels, ksize, stride, pad, nobias, W, b, dilate=dilate, groups=groups)


class Deconvolution2D(Filters):
    """2D transposed convolution with trained filters; see `renga.functions.deconvolution_2d`.

    Args:
        in_channels: Number of input channels; None: from the first input.
        out_channels: Number of output channels.
        ksize: Size of a filter: one number, or a pair. ``Deconvolution2D(n, k)`` is short for
            ``Deconvolution2D(None, n, k)``.
        stride, pad: Distance of neighbouring filters in the result, and width of the border to cut off.
        nobias: Omit the bias.
        outsize: Size of the result; see `renga.functions.deconvolution_2d`.
        initialW: Initializer of `W`; see `renga.initializers`. Default: LeCunNormal.
        initial_bias: Initializer of `b`. Default: zero.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups of channels; each group has its own filters.

    Raises:
        TypeError: The filter size is missing.
        ValueError: `groups` does not divide the channels.

    Attributes:
        W: Filters ``(in_channels, out_channels / groups, kh, kw)``.
        b: Bias ``(out_channels,)``, or None.

    >>> import numpy as np
    >>> layer = Deconvolution2D(8, 3, ksize=4, stride=2, pad=1)
    >>> layer(np.ones((2, 8, 16, 16), np.float32)).shape
    (2, 3, 32, 32)
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        outsize: Sequence[int] | None = None,
        initialW: Any = None,
        initial_bias: Any = None,
        *,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(
            2, in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, dilate, groups
        )
        self.outsize = outsize

    def forward(self, x: Any) -> Variable:
        """Deconvolve maps ``(N, in_channels, H, W)``."""
        if self.W.array is None:
            self._initialize(x.shape[1])
        return deconvolution_2d(
            x, self.W, self.b, self.stride, self.pad, self.outsize, dilate=self.dilate, groups=self.groups
        )

    def _filter_channels(self, in_channels: int) -> tuple[int, int]:
        return in_channels, self.out_channels // self.groups
