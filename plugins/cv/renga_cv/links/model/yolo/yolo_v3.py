"""The third version of YOLO."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from renga_core.graph import Variable
from renga_core.link import ChainList, Link, Sequential
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.detections import by_box
from renga_cv.links.model.yolo.yolo_base import YOLOBase, activation, boxes_of_cells
from renga_cv.utils.pretrained import PublishedModel, load_pretrained_model, prepare_pretrained_model, published
from renga_nn.functions.activation import sigmoid
from renga_nn.functions.array import concat
from renga_nn.functions.pooling import unpooling_2d
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["Darknet53Extractor", "ResidualBlock", "YOLOv3"]


class ResidualBlock(ChainList):
    """Links in sequence, whose result is added to the input.

    Args:
        links: The links.
    """

    def __init__(self, *links: Link) -> None:
        super().__init__(*links)

    def forward(self, x: Any) -> Variable:
        """The sum, in the shape of `x`."""
        h = x
        for link in self:
            h = link(h)
        total: Variable = h + x
        return total


def _conv(in_channels: int, out_channels: int, ksize: int, stride: int = 1) -> Conv2DBNActiv:
    return Conv2DBNActiv(in_channels, out_channels, ksize, stride, pad=ksize // 2, activ=activation)


class Darknet53Extractor(ChainList):
    """Darknet-53 without its last layer, and the layers that YOLOv3 adds (Redmon & Farhadi 2018, section 2.3).

    Attributes:
        insize: Edge of the input, in pixels.
        grids: Edges of the three feature maps.
    """

    insize = 416
    grids = (13, 26, 52)

    def __init__(self) -> None:
        super().__init__(_conv(3, 32, 3))
        for n_block, channels in ((1, 64), (2, 128), (8, 256), (8, 512), (4, 1024)):
            half = channels // 2
            self.append(_conv(half, channels, 3, stride=2))
            for _ in range(n_block):
                self.append(ResidualBlock(_conv(channels, half, 1), _conv(half, channels, 3)))
        for in_channels, channels in ((1024, 512), (512 + 256, 256), (256 + 128, 128)):
            if channels < 512:
                self.append(_conv(2 * channels, channels, 1))
            self.append(_conv(in_channels, channels, 1))
            for _ in range(2):
                self.append(_conv(channels, 2 * channels, 3))
                self.append(_conv(2 * channels, channels, 1))

    def forward(self, x: Any) -> list[Variable]:
        """Three feature maps: ``(N, 512, H / 32, W / 32)``, ``(N, 256, H / 16, W / 16)``, ``(N, 128, H / 8, W / 8)``.

        Args:
            x: Images ``(N, 3, H, W)``, whose sizes are multiples of 32.
        """
        h = x
        finer = {}
        maps = []
        for i, link in enumerate(self):
            h = link(h)
            if i in (14, 23):
                finer[i] = h
            elif i in (33, 39, 45):
                maps.append(h)
            elif i in (34, 40):
                upsampled = unpooling_2d(h, 2, cover_all=False)
                h = concat((upsampled, finer[23 if i == 34 else 14]), axis=1)
        return maps


class YOLOv3(YOLOBase):
    """YOLOv3 for images of 416 pixels: 10647 boxes of three levels (Redmon & Farhadi 2018).

    Args:
        n_fg_class: Number of classes; None to take it from the weights.
        pretrained_model: ``"voc0712"``: weights for the 20 classes of PASCAL VOC. A path of such a file, or None.

    Raises:
        ValueError: `n_fg_class` is not that of the named weights, or nothing sets it.
        FileNotFoundError: The name is unknown, and no such file exists.

    Attributes:
        n_fg_class: As given.
        extractor: `Darknet53Extractor`.
        subnet: For each level, two convolutions.
        nms_thresh, score_thresh: See `YOLOBase`.
    """

    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "voc0712": published("yolo_v3_voc0712_converted_2018_05_01.npz", cv2=True, n_fg_class=20)
    }
    _anchors = (
        ((90, 116), (198, 156), (326, 373)),
        ((61, 30), (45, 62), (119, 59)),
        ((13, 10), (30, 16), (23, 33)),
    )
    """For each level, heights and widths in pixels."""

    def __init__(self, n_fg_class: int | None = None, pretrained_model: str | os.PathLike[str] | None = None) -> None:
        param, path = prepare_pretrained_model({"n_fg_class": n_fg_class}, pretrained_model, self._models)
        super().__init__()
        self.n_fg_class = int(param["n_fg_class"])
        with self.init_scope():
            self.extractor = Darknet53Extractor()
            self.subnet = ChainList()
        cells = []
        for channels, grid, anchors in zip((512, 256, 128), self.extractor.grids, self._anchors, strict=True):
            n_out = len(anchors) * (5 + self.n_fg_class)
            self.subnet.append(Sequential(_conv(channels, 2 * channels, 3), Convolution2D(2 * channels, n_out, 1)))
            cells.append(boxes_of_cells(grid, self.insize / grid, anchors))
        self._cells = np.concatenate(cells)
        load_pretrained_model(self, path, heads=("subnet/0/1", "subnet/1/1", "subnet/2/1"), strict=False)

    def forward(self, x: Any) -> tuple[Variable, Variable, Variable]:
        """Locations ``(N, K, 4)``, objectness ``(N, K)`` and class scores ``(N, K, n_fg_class)`` of K boxes.

        Args:
            x: Images ``(N, 3, insize, insize)``, from 0 to 1.
        """
        maps = zip(self.subnet, self.extractor(x), strict=True)
        h = concat([by_box(subnet(y), 5 + self.n_fg_class) for subnet, y in maps], axis=1)
        return h[:, :, :4], h[:, :, 4], h[:, :, 5:]

    def _class_probabilities(self, conf: Any) -> Variable:
        return sigmoid(conf)
