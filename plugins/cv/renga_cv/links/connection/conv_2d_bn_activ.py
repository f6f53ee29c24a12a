"""A convolution, a batch normalization and an activation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.normalization import batch_normalization
from renga_nn.functions.activation import relu
from renga_nn.links.batch_normalization import normalize_and_activate
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["Conv2DBNActiv"]


class Conv2DBNActiv(Chain):
    """A convolution of images, followed by batch normalization and an activation function.

    Args:
        in_channels: Number of channels of the images; None to take it from the first input.
        out_channels: Number of filters.
        ksize: Size of a filter: one number, or a pair. ``Conv2DBNActiv(n, k)`` is short for
            ``Conv2DBNActiv(None, n, k)``.
        stride, pad, dilate, groups, nobias, initialW, initial_bias: See `renga.links.Convolution2D`. There is no
            bias by default, for what it adds, batch normalization takes away.
        activ: Activation applied to the result; None: no activation.
        bn_kwargs: Arguments of `renga.links.BatchNormalization`. With ``comm``, a communicator, it is
            `renga.distributed.links.MultiNodeBatchNormalization`.

    Raises:
        TypeError: The size of filters is missing.

    Attributes:
        conv: The convolution.
        bn: The batch normalization.
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
        groups: int = 1,
        nobias: bool = True,
        initialW: Any = None,
        initial_bias: Any = None,
        activ: Callable[[Any], Any] | None = relu,
        bn_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.activ = activ
        with self.init_scope():
            self.conv = Convolution2D(
                in_channels,
                out_channels,
                ksize,
                stride,
                pad,
                nobias,
                initialW,
                initial_bias,
                dilate=dilate,
                groups=groups,
            )
            self.bn = batch_normalization(self.conv.out_channels, bn_kwargs)

    def forward(self, x: Any, *, residual: Any = None, activ: Callable[[Any], Any] | None = None) -> Variable:
        """Maps ``(N, out_channels, H', W')`` for images ``(N, in_channels, H, W)``.

        Args:
            x: The images.
            residual: Maps to add before the activation, or None.
            activ: Activation instead of the link's own.
        """
        return normalize_and_activate(self.bn, self.conv(x), activ or self.activ, residual)
