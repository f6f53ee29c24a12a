"""The decoder of DeepLab v3+."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.connection.separable_conv_2d_bn_activ import SeparableConv2DBNActiv
from renga_nn.functions.activation import relu
from renga_nn.functions.array.concat import concat
from renga_nn.functions.array.resize_images import resize_images
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["Decoder"]


class Decoder(Chain):
    """Join features of low and of high level, and score the classes (Chen et al. 2018, section 3.1, figure 2).

    Args:
        in_channels: Number of channels of the features, of low level and of high level alike.
        out_channels: Number of classes.
        proj_channels: Number of channels that the features of low level are reduced to.
        depth_channels: Number of channels of the two convolutions.
        bn_kwargs: Arguments of the batch normalizations of the two convolutions; see `Conv2DBNActiv`. The batch
            normalization of `feature_proj` has the default arguments, as in the published weights.

    Attributes:
        feature_proj, conv1, conv2, conv_logits: The convolutions, in order.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        proj_channels: int,
        depth_channels: int,
        bn_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        kwargs: dict[str, Any] = {"nobias": True, "dw_activ": relu, "bn_kwargs": bn_kwargs}
        with self.init_scope():
            self.feature_proj = Conv2DBNActiv(in_channels, proj_channels, 1)
            self.conv1 = SeparableConv2DBNActiv(in_channels + proj_channels, depth_channels, 3, 1, 1, **kwargs)
            self.conv2 = SeparableConv2DBNActiv(depth_channels, depth_channels, 3, 1, 1, **kwargs)
            self.conv_logits = Convolution2D(depth_channels, out_channels, 1)

    def forward(self, x: Any, pool: Any) -> Variable:
        """Compute class scores.

        Args:
            x: Features of low level, ``(N, in_channels, H, W)``.
            pool: Features of high level, ``(N, in_channels, H', W')``, which are resized.

        Returns:
            ``(N, out_channels, H, W)``.
        """
        h = concat([resize_images(pool, x.shape[2:]), self.feature_proj(x)], axis=1)
        y: Variable = self.conv_logits(self.conv2(self.conv1(h)))
        return y
