"""A convolution in two steps, over the image and over the channels, each with batch normalization."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.normalization import batch_normalization
from renga_nn.functions.activation import relu
from renga_nn.functions.array import identity
from renga_nn.links.batch_normalization import normalize_and_activate
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["SeparableConv2DBNActiv"]


class SeparableConv2DBNActiv(Chain):
    """A filter for each channel by itself, then a 1 × 1 convolution over the channels (Chollet 2017, section 3).

    Batch normalization and an activation follow each of the two.

    Args:
        in_channels: Number of channels of the images.
        out_channels: Number of channels of the result.
        ksize: Size of a filter of the first convolution: one number, or a pair.
        stride, pad, dilate: Of the first convolution, as of `renga.links.Convolution2D`.
        nobias: Leave the biases of both convolutions out.
        dw_initialW, pw_initialW: Initializers of the filters of the first and the second.
        dw_initial_bias, pw_initial_bias: Initializers of their biases.
        dw_activ, pw_activ: What is applied after each batch normalization.
        bn_kwargs: Arguments of both, as of `Conv2DBNActiv`.

    Attributes:
        depthwise, dw_bn, dw_activ: The first step.
        pointwise, pw_bn, pw_activ: The second.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        ksize: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        pad: int | Sequence[int] = 0,
        dilate: int | Sequence[int] = 1,
        nobias: bool = False,
        dw_initialW: Any = None,
        pw_initialW: Any = None,
        dw_initial_bias: Any = None,
        pw_initial_bias: Any = None,
        dw_activ: Callable[[Any], Any] = identity,
        pw_activ: Callable[[Any], Any] = relu,
        bn_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.dw_activ = dw_activ
        self.pw_activ = pw_activ
        with self.init_scope():
            self.depthwise = Convolution2D(
                in_channels,
                in_channels,
                ksize,
                stride,
                pad,
                nobias,
                dw_initialW,
                dw_initial_bias,
                dilate=dilate,
                groups=in_channels,
            )
            self.dw_bn = batch_normalization(in_channels, bn_kwargs)
            self.pointwise = Convolution2D(
                in_channels, out_channels, 1, nobias=nobias, initialW=pw_initialW, initial_bias=pw_initial_bias
            )
            self.pw_bn = batch_normalization(out_channels, bn_kwargs)

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, H', W')`` for images ``(N, in_channels, H, W)``."""
        h = normalize_and_activate(self.dw_bn, self.depthwise(x), self.dw_activ)
        return normalize_and_activate(self.pw_bn, self.pointwise(h), self.pw_activ)
