"""A small network applied at each position of images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from renga_core.graph import Variable
from renga_core.link import ChainList
from renga_nn.functions.activation import relu
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["MLPConvolution2D"]


class MLPConvolution2D(ChainList):
    """A convolution followed by 1 × 1 convolutions: a multi-layer perceptron per position (Lin et al. 2014, 3.1).

    Args:
        in_channels: Number of input channels; None: from the first input.
        out_channels: Numbers of filters of the convolutions.
        ksize: Size of the first convolution's filters: one number, or a pair. ``MLPConvolution2D(out_channels, k)`` is
            short for ``MLPConvolution2D(None, out_channels, k)``.
        stride, pad: Stride and padding of the first convolution.
        activation: Activation between the convolutions; not applied to the result.
        conv_init, bias_init: Initializers of filters and biases.

    Raises:
        TypeError: The filter size is missing.
        ValueError: `out_channels` is empty.

    >>> import numpy as np
    >>> layer = MLPConvolution2D(3, (16, 8), ksize=3, pad=1)
    >>> layer(np.ones((1, 3, 8, 8), np.float32)).shape
    (1, 8, 8, 8)
    """

    def __init__(
        self,
        in_channels: int | Sequence[int] | None,
        out_channels: Sequence[int] | int,
        ksize: int | Sequence[int] | None = None,
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        activation: Callable[[Any], Any] = relu,
        conv_init: Any = None,
        bias_init: Any = None,
    ) -> None:
        given: Any = (in_channels, out_channels, ksize) if ksize is not None else (None, in_channels, out_channels)
        first, channels, ksize = given
        if not isinstance(channels, Sequence) or ksize is None:
            raise TypeError("MLPConvolution2D needs the numbers of its filters, and their size: ((16, 8), 3)")
        if not channels:
            raise ValueError("MLPConvolution2D: out_channels is empty; there is at least one convolution")
        initial = {"initialW": conv_init, "initial_bias": bias_init}
        convolutions = [Convolution2D(first, channels[0], ksize, stride, pad, **initial)]
        convolutions += [Convolution2D(n, m, 1, **initial) for n, m in pairwise(channels)]
        super().__init__(*convolutions)
        self.activation = activation

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels[-1], H', W')`` for images ``(N, in_channels, H, W)``."""
        *hidden, last = self
        for convolution in hidden:
            x = self.activation(convolution(x))
        y: Variable = last(x)
        return y
