"""Convolutional layers over one axis, three, or any number of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_nn.functions.connection.convolution_nd import convolve
from renga_nn.functions.connection.deconvolution_nd import deconvolve
from renga_nn.links.bias import bias_given
from renga_nn.links.filters import Filters

__all__ = [
    "Convolution1D",
    "Convolution3D",
    "ConvolutionND",
    "Deconvolution1D",
    "Deconvolution3D",
    "DeconvolutionND",
]


class ConvolutionND(Filters):
    """Convolution over any number of axes with trained filters; see `renga.functions.convolution_nd`.

    Args:
        ndim: Number of spatial axes.
        in_channels: Number of input channels; None: from the first input.
        out_channels: Number of filters, which is the number of output channels.
        ksize: Size of a filter: one number, or one for each axis. ``ConvolutionND(ndim, n, k)`` is short for
            ``ConvolutionND(ndim, None, n, k)``.
        stride, pad: Step of the window, and width of the border of zeros.
        nobias: Omit the bias.
        initialW: Initializer of `W`; see `renga.initializers`. Default: LeCunNormal.
        initial_bias: Initializer of `b`. Default: zero.
        cover_all: Let windows extend beyond the border at the end, so that each element is covered.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups of channels; each group has its own filters.

    Raises:
        TypeError: The filter size is missing.
        ValueError: `groups` does not divide the channels.

    Attributes:
        W: Filters ``(out_channels, in_channels / groups, *ksize)``.
        b: Bias ``(out_channels,)``, or None.

    >>> import numpy as np
    >>> layer = ConvolutionND(1, 4, 8, ksize=3, pad=1)
    >>> layer(np.ones((2, 4, 50), np.float32)).shape
    (2, 8, 50)
    """

    def __init__(
        self,
        ndim: int,
        in_channels: int | None,
        out_channels: int | None,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
        cover_all: bool = False,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(
            ndim, in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, dilate, groups
        )
        self.cover_all = cover_all

    @staticmethod
    def from_params(
        W: Any,
        b: Any = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        *,
        cover_all: bool = False,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> ConvolutionND:
        """Make a layer with these filters; they determine the number of axes.

        Args:
            W: Array or Variable ``(out_channels, in_channels / groups, *ksize)``.
            b: Array or Variable ``(out_channels,)``; None for zeros.
            stride, pad, nobias, cover_all, dilate, groups: See the class.

        Raises:
            ValueError: `b` is given although `nobias` is set.
        """
        out_channels, group_channels, *ksize = W.shape
        W, b = getattr(W, "array", W), bias_given("ConvolutionND", b, nobias)
        in_channels = group_channels * groups
        return ConvolutionND(
            len(ksize), in_channels, out_channels, ksize, stride, pad, nobias, W, b, cover_all, dilate, groups
        )

    def forward(self, x: Any) -> Variable:
        """Convolve images ``(N, in_channels, *size)``."""
        if self.W.array is None:
            self._initialize(x.shape[1])
        name, axes = type(self).__name__, len(self.ksize)
        return convolve(name, axes, x, self.W, self.b, self.stride, self.pad, self.cover_all, self.dilate, self.groups)

    def _filter_channels(self, in_channels: int) -> tuple[int, int]:
        return self.out_channels, in_channels // self.groups


class Convolution1D(ConvolutionND):
    """`ConvolutionND` over one axis: sequences ``(N, in_channels, L)``. The other arguments are the same.

    >>> import numpy as np
    >>> Convolution1D(4, 8, 3, pad=1)(np.ones((2, 4, 50), np.float32)).shape
    (2, 8, 50)
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int | None,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
        cover_all: bool = False,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(
            1, in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, cover_all, dilate, groups
        )


class Convolution3D(ConvolutionND):
    """`ConvolutionND` over three axes: volumes ``(N, in_channels, D, H, W)``. The other arguments are the same.

    >>> import numpy as np
    >>> Convolution3D(1, 2, 3, pad=1)(np.ones((1, 1, 4, 5, 6), np.float32)).shape
    (1, 2, 4, 5, 6)
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int | None,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
        cover_all: bool = False,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(
            3, in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, cover_all, dilate, groups
        )


class DeconvolutionND(Filters):
    """Transposed convolution over any number of axes with trained filters; see `renga.functions.deconvolution_nd`.

    Args:
        ndim: Number of spatial axes.
        in_channels: Number of input channels; None: from the first input.
        out_channels: Number of output channels.
        ksize: Size of a filter: one number, or one for each axis. ``DeconvolutionND(ndim, n, k)`` is short for
            ``DeconvolutionND(ndim, None, n, k)``.
        stride, pad: Distance of neighbouring filters in the result, and width of the border to cut off.
        nobias: Omit the bias.
        outsize: Size of the result along each axis; see `renga.functions.deconvolution_nd`.
        initialW: Initializer of `W`; see `renga.initializers`. Default: LeCunNormal.
        initial_bias: Initializer of `b`. Default: zero.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups of channels; each group has its own filters.

    Raises:
        TypeError: The filter size is missing.
        ValueError: `groups` does not divide the channels.

    Attributes:
        W: Filters ``(in_channels, out_channels / groups, *ksize)``.
        b: Bias ``(out_channels,)``, or None.

    >>> import numpy as np
    >>> layer = DeconvolutionND(1, 4, 8, ksize=2, stride=2)
    >>> layer(np.ones((2, 4, 50), np.float32)).shape
    (2, 8, 100)
    """

    def __init__(
        self,
        ndim: int,
        in_channels: int | None,
        out_channels: int | None,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        outsize: int | Sequence[int] | None = None,
        initialW: Any = None,
        initial_bias: Any = None,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(
            ndim, in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, dilate, groups
        )
        self.outsize = outsize

    def forward(self, x: Any) -> Variable:
        """Deconvolve maps ``(N, in_channels, *size)``."""
        if self.W.array is None:
            self._initialize(x.shape[1])
        name, axes = type(self).__name__, len(self.ksize)
        return deconvolve(name, axes, x, self.W, self.b, self.stride, self.pad, self.outsize, self.dilate, self.groups)

    def _filter_channels(self, in_channels: int) -> tuple[int, int]:
        return in_channels, self.out_channels // self.groups


class Deconvolution1D(DeconvolutionND):
    """`DeconvolutionND` over one axis: maps ``(N, in_channels, L)``. The other arguments are the same.

    >>> import numpy as np
    >>> Deconvolution1D(4, 8, 2, stride=2)(np.ones((2, 4, 50), np.float32)).shape
    (2, 8, 100)
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int | None,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        outsize: int | Sequence[int] | None = None,
        initialW: Any = None,
        initial_bias: Any = None,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(
            1, in_channels, out_channels, ksize, stride, pad, nobias, outsize, initialW, initial_bias, dilate, groups
        )


class Deconvolution3D(DeconvolutionND):
    """`DeconvolutionND` over three axes: maps ``(N, in_channels, D, H, W)``. The other arguments are the same.

    >>> import numpy as np
    >>> Deconvolution3D(1, 2, 2, stride=2)(np.ones((1, 1, 2, 3, 4), np.float32)).shape
    (1, 2, 4, 6, 8)
    """

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int | None,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        nobias: bool = False,
        outsize: int | Sequence[int] | None = None,
        initialW: Any = None,
        initial_bias: Any = None,
        dilate: int | Sequence[int] = 1,
        groups: int = 1,
    ) -> None:
        super().__init__(
            3, in_channels, out_channels, ksize, stride, pad, nobias, outsize, initialW, initial_bias, dilate, groups
        )
