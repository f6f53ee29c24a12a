"""The block of three convolutions that deep residual networks repeat."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.connection.se_block import SEBlock
from renga_nn.functions.activation import relu

__all__ = ["Bottleneck"]


class Bottleneck(Chain):
    """Convolutions of 1 × 1, 3 × 3 and 1 × 1 with a residual connection (He et al. 2016, figure 5).

    Args:
        in_channels, mid_channels, out_channels: Channels of the input, between the convolutions, and of the result.
        stride: Step of the convolution that reduces the resolution.
        dilate, groups: Of the 3 × 3 convolution, as of `renga.links.Convolution2D`.
        initialW: Initializer of filters.
        bn_kwargs: Arguments of all batch normalizations; see `Conv2DBNActiv`.
        residual_conv: Lead the input through a 1 × 1 convolution of its own, because its shape differs from the
            result's.
        stride_first: The first convolution reduces the resolution, as in the paper; otherwise the 3 × 3 one.
        add_seblock: Put an `SEBlock` before the sum.

    Attributes:
        conv1, conv2, conv3: The convolutions, each with its batch normalization.
        se, residual_conv: Where there are such.
    """

    def __init__(
        self,
        in_channels: int,
        mid_channels: int,
        out_channels: int,
        stride: int = 1,
        dilate: int = 1,
        groups: int = 1,
        initialW: Any = None,
        bn_kwargs: Mapping[str, Any] = MappingProxyType({}),
        residual_conv: bool = False,
        stride_first: bool = False,
        add_seblock: bool = False,
    ) -> None:
        super().__init__()
        stride1, stride2 = (stride, 1) if stride_first else (1, stride)
        rest: dict[str, Any] = {"initialW": initialW, "bn_kwargs": bn_kwargs}
        with self.init_scope():
            self.conv1 = Conv2DBNActiv(in_channels, mid_channels, 1, stride1, 0, **rest)
            self.conv2 = Conv2DBNActiv(mid_channels, mid_channels, 3, stride2, dilate, dilate, groups, **rest)
            self.conv3 = Conv2DBNActiv(mid_channels, out_channels, 1, 1, 0, activ=None, **rest)
            if add_seblock:
                self.se = SEBlock(out_channels)
            if residual_conv:
                self.residual_conv = Conv2DBNActiv(in_channels, out_channels, 1, stride, 0, activ=None, **rest)

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, H', W')`` for maps ``(N, in_channels, H, W)``."""
        h = self.conv2(self.conv1(x))
        shortcut = self.residual_conv(x) if hasattr(self, "residual_conv") else x
        y: Variable
        if type(self.conv3) is Conv2DBNActiv and not hasattr(self, "se"):
            y = self.conv3(h, residual=shortcut, activ=relu)  # one pass over memory for the last three steps
        else:  # a link that somebody put in place of conv3 maps one argument
            h = self.conv3(h)
            y = relu((self.se(h) if hasattr(self, "se") else h) + shortcut)
        return y
