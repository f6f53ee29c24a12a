"""Layers of filters over images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.functions.connection import convolution_2d, deconvolution_2d
from renga_nn.initializers import get_initializer

__all__ = ["Convolution2D", "Deconvolution2D"]


class _Filters(Link):
    """What both layers of filters share: their arguments, and filters that may wait for the first input."""

    b: Parameter | None

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        ksize: int | Sequence[int] | None,
        stride: int | Sequence[int],
        pad: int | Sequence[int],
        nobias: bool,
        initialW: Any,
        initial_bias: Any,
        dilate: int | Sequence[int],
        groups: int,
    ) -> None:
        super().__init__()
        in_channels, self.out_channels, self.ksize = _channels(self, in_channels, out_channels, ksize)
        self.stride = stride
        self.pad = pad
        self.dilate = dilate
        self.groups = groups
        self._check_groups(self.out_channels)
        with self.init_scope():
            self.W = Parameter(get_initializer(initialW))
            bias = get_initializer(0 if initial_bias is None else initial_bias)
            self.b = None if nobias else Parameter(bias, self.out_channels)
        if in_channels is not None:
            self._initialize(in_channels)

    def _filter_channels(self, in_channels: int) -> tuple[int, int]:
        """The first two sizes of `W`."""
        raise NotImplementedError

    def _initialize(self, in_channels: int) -> None:
        self._check_groups(in_channels)
        self.W.initialize((*self._filter_channels(in_channels), *self.ksize))

    def _check_groups(self, channels: int) -> None:
        if self.groups < 1 or channels % self.groups:
            raise ValueError(f"{type(self).__name__}: groups={self.groups} does not divide {channels} channels")


class Convolution2D(_Filters):
    """Slide trained filters over images; `renga.functions.convolution_2d` says how the arguments work.

    Args:
        in_channels: Number of channels of the images; None to take it from the first input.
        out_channels: Number of filters, and of channels of the result.
        ksize: Size of a filter: one number, or a pair. ``Convolution2D(n, k)`` is short for
            ``Convolution2D(None, n, k)``.
        stride, pad: Step of the window, and border of zeros around images.
        nobias: Leave the bias out.
        initialW: Initializer of `W`; see `renga.initializers`. Default: LeCunNormal.
        initial_bias: Initializer of `b`. Default: zero.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups of channels that do not see each other.

    Raises:
        TypeError: The size of filters is missing.
        ValueError: `groups` does not divide the channels.

    Attributes:
        W: Filters ``(out_channels, in_channels / groups, kh, kw)``.
        b: Bias ``(out_channels,)``, or None.
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
        super().__init__(in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, dilate, groups)

    def forward(self, x: Any) -> Variable:
        """Convolve images ``(N, in_channels, H, W)``."""
        if self.W.array is None:
            self._initialize(x.shape[1])
        return convolution_2d(x, self.W, self.b, self.stride, self.pad, dilate=self.dilate, groups=self.groups)

    def _filter_channels(self, in_channels: int) -> tuple[int, int]:
        return self.out_channels, in_channels // self.groups


class Deconvolution2D(_Filters):
    """Paint trained filters into images: the transpose of `Convolution2D`; see `renga.functions.deconvolution_2d`.

    Args:
        in_channels: Number of channels of the input; None to take it from the first input.
        out_channels: Number of channels of the result.
        ksize: Size of a filter: one number, or a pair. ``Deconvolution2D(n, k)`` is short for
            ``Deconvolution2D(None, n, k)``.
        stride, pad: Distance of places to paint, and border that is cut off the result.
        nobias: Leave the bias out.
        outsize: Size of the result; see `renga.functions.deconvolution_2d`.
        initialW: Initializer of `W`; see `renga.initializers`. Default: LeCunNormal.
        initial_bias: Initializer of `b`. Default: zero.
        dilate: Distance between neighbouring elements of a filter.
        groups: Number of groups of channels that do not see each other.

    Raises:
        TypeError: The size of filters is missing.
        ValueError: `groups` does not divide the channels.

    Attributes:
        W: Filters ``(in_channels, out_channels / groups, kh, kw)``.
        b: Bias ``(out_channels,)``, or None.
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
        super().__init__(in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, dilate, groups)
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


def _channels(
    link: Link, in_channels: int | None, out_channels: Any, ksize: int | Sequence[int] | None
) -> tuple[int | None, int, tuple[int, int]]:
    """Sizes in full from the short form, in which `in_channels` is left out."""
    if ksize is None:
        in_channels, out_channels, ksize = None, in_channels, out_channels
    if ksize is None or out_channels is None:
        name = type(link).__name__
        raise TypeError(f"{name} needs the number and the size of its filters: {name}(None, 16, 3) or {name}(16, 3)")
    rows, columns = (ksize, ksize) if isinstance(ksize, int) else ksize
    return in_channels, out_channels, (rows, columns)
