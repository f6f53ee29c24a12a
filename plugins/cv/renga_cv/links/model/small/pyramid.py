"""Feature maps of a picture at two or three resolutions."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_nn.functions.array import resize_images
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["FinestMap", "SmallPyramid"]


class SmallPyramid(Chain):
    """Convolutions down to an eighth of the resolution, and a path back up that adds coarse features to finer maps.

    Args:
        channels: Numbers of channels of the convolutions at 1/2, 1/4 and 1/8 of the resolution.
        width: Channels of each map that is returned.
        with_half: Whether there is a map at half the resolution.

    Source: Lin et al., *Feature Pyramid Networks for Object Detection*, arXiv:1612.03144, section 3, with a network of
    six layers instead of ResNet.
    """

    def __init__(self, channels: tuple[int, int, int] = (24, 48, 128), width: int = 32, with_half: bool = True) -> None:
        super().__init__()
        half, quarter, eighth = channels
        self.with_half = with_half
        with self.init_scope():
            self.down1 = Conv2DBNActiv(3, half, 3, 2, 1)
            self.conv1 = Conv2DBNActiv(half, half, 3, 1, 1)
            self.down2 = Conv2DBNActiv(half, quarter, 3, 2, 1)
            self.conv2 = Conv2DBNActiv(quarter, quarter, 3, 1, 1)
            self.down3 = Conv2DBNActiv(quarter, eighth, 3, 2, 1)
            self.conv3 = Conv2DBNActiv(eighth, eighth, 3, 1, 1)
            if with_half:
                self.side1 = Convolution2D(half, width, 1)
            self.side2, self.side3 = (Convolution2D(each, width, 1) for each in (quarter, eighth))
            if with_half:
                self.up1 = Conv2DBNActiv(width, width, 3, 1, 1)
            self.up2 = Conv2DBNActiv(width, width, 3, 1, 1)

    def forward(self, x: Any) -> tuple[Variable, ...]:
        """Return the feature maps of pictures ``(N, 3, H, W)``, RGB from 0 to 255, at 1/2 (on request), 1/4 and 1/8.

        H and W are multiples of 8.
        """
        half = self.conv1(self.down1(x * (1 / 64) - 2))
        quarter = self.conv2(self.down2(half))
        eighth = self.side3(self.conv3(self.down3(quarter)))
        quarter = self.up2(self.side2(quarter) + _enlarged_to(quarter, eighth))
        if not self.with_half:
            return quarter, eighth
        return self.up1(self.side1(half) + _enlarged_to(half, quarter)), quarter, eighth


class FinestMap(Chain):
    """A feature map at the picture's resolution: classes come from the pyramid, sharp edges from the picture.

    Args:
        width: Channels of the pyramid's maps; this one has half as many.
    """

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        with self.init_scope():
            self.edges = Conv2DBNActiv(3, width // 2, 3, 1, 1)
            self.narrow = Convolution2D(width, width // 2, 1)
            self.mix = Conv2DBNActiv(width // 2, width // 2, 3, 1, 1)

    def forward(self, x: Any, half: Any) -> Variable:
        """Return the map ``(N, width / 2, H, W)`` of pictures, given the pyramid's map at half their resolution."""
        edges = self.edges(x * (1 / 64) - 2)
        h: Variable = self.mix(edges + _enlarged_to(edges, self.narrow(half)))
        return h


def _enlarged_to(fine: Any, coarse: Any) -> Variable:
    """A feature map, enlarged to the height and width of a finer one."""
    return resize_images(coarse, fine.shape[2:], mode="nearest")
