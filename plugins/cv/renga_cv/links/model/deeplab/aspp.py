"""Atrous spatial pyramid pooling: filters with several dilation rates on one map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from renga_core.graph import Variable
from renga_core.graph.operators import broadcast_to, mean
from renga_core.link import Chain
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.connection.separable_conv_2d_bn_activ import SeparableConv2DBNActiv
from renga_nn.functions.activation import relu
from renga_nn.functions.array.concat import concat
from renga_nn.functions.noise import dropout

__all__ = ["SeparableASPP"]


class SeparableASPP(Chain):
    """Atrous spatial pyramid pooling with separable convolutions (Chen et al. 2018, section 3.1).

    The mean of the image, a 1 × 1 convolution and three separable ones with holes, joined by a 1 × 1 convolution and
    dropout.

    Args:
        in_channels: Number of channels of the maps.
        out_channels: Number of channels of each part, and of the result.
        dilate_list: Distances between neighbouring elements of the three filters.
        bn_kwargs: Arguments of all batch normalizations; see `Conv2DBNActiv`.

    Attributes:
        image_pooling_conv, conv1x1, atrous1, atrous2, atrous3: The parts.
        proj: The convolution that joins them.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        dilate_list: Sequence[int] = (12, 24, 36),
        bn_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__()
        kwargs: dict[str, Any] = {"bn_kwargs": bn_kwargs}
        with self.init_scope():
            self.image_pooling_conv = Conv2DBNActiv(in_channels, out_channels, 1, **kwargs)
            self.conv1x1 = Conv2DBNActiv(in_channels, out_channels, 1, **kwargs)
            for i, dilate in enumerate(dilate_list, 1):
                atrous = SeparableConv2DBNActiv(
                    in_channels, out_channels, 3, 1, dilate, dilate, nobias=True, dw_activ=relu, **kwargs
                )
                setattr(self, f"atrous{i}", atrous)
            self.proj = Conv2DBNActiv(out_channels * (2 + len(dilate_list)), out_channels, 1, **kwargs)
        self._n_atrous = len(dilate_list)

    def image_pooling(self, x: Any) -> Variable:
        """The mean of each map, through a convolution, at each pixel: ``(N, out_channels, H, W)``."""
        h = self.image_pooling_conv(mean(x, axis=(2, 3), keepdims=True))
        return broadcast_to(h, (*h.shape[:2], *x.shape[2:]))

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, H, W)`` for maps ``(N, in_channels, H, W)``."""
        parts = [self.image_pooling(x), self.conv1x1(x)]
        parts += [self[f"atrous{i}"](x) for i in range(1, self._n_atrous + 1)]
        y: Variable = dropout(self.proj(concat(parts, axis=1)))
        return y
