"""A convolution with TensorFlow's borders, a batch normalization and an activation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.normalization import batch_normalization
from renga_cv.links.model.mobilenet.tf_convolution_2d import TFConvolution2D
from renga_nn.functions.activation import relu
from renga_nn.links.batch_normalization import normalize_and_activate

__all__ = ["TFConv2DBNActiv"]


class TFConv2DBNActiv(Chain):
    """A `TFConvolution2D`, followed by batch normalization and an activation function.

    Args:
        in_channels, out_channels, ksize, stride, pad, dilate, groups, nobias, initialW, initial_bias: As of
            `TFConvolution2D`.
        activ, bn_kwargs: See `renga.cv.links.Conv2DBNActiv`.

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
        pad: str | int | Sequence[int] = "SAME",
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
            self.conv = TFConvolution2D(
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
            self.bn = batch_normalization(self.conv.conv.out_channels, bn_kwargs)

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, H', W')`` for images ``(N, in_channels, H, W)``."""
        return normalize_and_activate(self.bn, self.conv(x), self.activ)
