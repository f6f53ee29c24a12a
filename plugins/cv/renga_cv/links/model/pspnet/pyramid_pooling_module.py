"""Pyramid pooling: the means of regions of several sizes, as context of each pixel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_core.link import ChainList
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_nn.functions.array.concat import concat
from renga_nn.functions.array.resize_images import resize_images
from renga_nn.functions.pooling import average_pooling_2d

__all__ = ["PyramidPoolingModule"]


class PyramidPoolingModule(ChainList):
    """Average maps over grids of several sizes, and join the averages to the maps (Zhao et al. 2017, section 3.2).

    Args:
        in_channels: Number of channels of the maps.
        feat_size: Height and width of the maps that windows are made for.
        pyramids: Number of cells of each grid along each axis.
        initialW: Initializer of filters.
    """

    def __init__(self, in_channels: int, feat_size: tuple[int, int], pyramids: Sequence[int], initialW: Any) -> None:
        out_channels = in_channels // len(pyramids)
        super().__init__(*[Conv2DBNActiv(in_channels, out_channels, 1, initialW=initialW) for _ in pyramids])
        self.ksizes = [(feat_size[0] // cells, feat_size[1] // cells) for cells in pyramids]

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, 2 in_channels, H, W)`` for maps ``(N, in_channels, H, W)``."""
        parts = [x]
        for convolution, ksize in zip(self, self.ksizes, strict=True):
            parts.append(resize_images(convolution(average_pooling_2d(x, ksize)), x.shape[2:]))
        return concat(parts, axis=1)
