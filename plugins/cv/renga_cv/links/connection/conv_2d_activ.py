"""A convolution and an activation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.activation import relu
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["Conv2DActiv"]


class Conv2DActiv(Chain):
    """A convolution of images, followed by an activation function.

    Args:
        in_channels: Number of channels of the images; None to take it from the first input.
        out_channels: Number of filters.
        ksize: Size of a filter: one number, or a pair. ``Conv2DActiv(n, k)`` is short for ``Conv2DActiv(None, n, k)``.
        stride, pad, dilate, nobias, initialW, initial_bias: See `renga.links.Convolution2D`.
        activ: Activation applied to the result; None: no activation.

    Raises:
        TypeError: The size of filters is missing.

    Attributes:
        conv: The convolution.
        activ: As given.
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
        activ: Callable[[Any], Any] | None = relu,
    ) -> None:
        super().__init__()
        self.activ = activ
        with self.init_scope():
            self.conv = Convolution2D(
                in_channels, out_channels, ksize, stride, pad, nobias, initialW, initial_bias, dilate=dilate
            )

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, H', W')`` for images ``(N, in_channels, H, W)``."""
        h: Variable = self.conv(x)
        return h if self.activ is None else self.activ(h)
