"""The second version of YOLO."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from renga_core.graph import Variable
from renga_core.graph.operators import reshape, transpose
from renga_core.link import ChainList
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.detections import by_box
from renga_cv.links.model.yolo.yolo_base import YOLOBase, activation, boxes_of_cells
from renga_cv.utils.pretrained import PublishedModel, load_pretrained_model, prepare_pretrained_model, published
from renga_nn.functions.activation import softmax
from renga_nn.functions.array import concat
from renga_nn.functions.pooling import max_pooling_2d
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["Darknet19Extractor", "YOLOv2", "YOLOv2Base", "conv3", "reorg"]


def conv3(in_channels: int, out_channels: int, stride: int = 1) -> Conv2DBNActiv:
    """A 3 × 3 convolution with a border, followed by batch normalization and the activation of YOLO."""
    return Conv2DBNActiv(in_channels, out_channels, 3, stride, pad=1, activ=activation)


def _conv1(in_channels: int, out_channels: int) -> Conv2DBNActiv:
    return Conv2DBNActiv(in_channels, out_channels, 1, activ=activation)


def reorg(x: Variable) -> Variable:
    """Darknet's way of halving a map: ``(N, C, H, W)`` becomes ``(N, 4 C, H / 2, W / 2)``.

    It differs from `space2depth`: Darknet reads the map as if it were ``(N, C / 4, 2 H, 2 W)``, and published weights
    were trained with this.

    Args:
        x: Maps; C is a multiple of 4, H and W are multiples of 2.
    """
    n, c, h, w = x.shape
    rows = reshape(x, (n, c // 4, h, 2, w, 2))
    return reshape(transpose(rows, (0, 3, 5, 1, 2, 4)), (n, 4 * c, h // 2, w // 2))


class Darknet19Extractor(ChainList):
    """Darknet-19 without its last layer, and the layers that YOLOv2 adds (Redmon & Farhadi 2017, section 3).

    Args:
        width: Channels of the feature map.

    Attributes:
        insize: Edge of the input, in pixels.
        grid: Edge of the feature map.
    """

    insize = 416
    grid = 13

    def __init__(self, width: int = 1024) -> None:
        super().__init__(
            conv3(3, 32),
            conv3(32, 64),
            conv3(64, 128),
            _conv1(128, 64),
            conv3(64, 128),
            conv3(128, 256),
            _conv1(256, 128),
            conv3(128, 256),
            conv3(256, 512),
            _conv1(512, 256),
            conv3(256, 512),
            _conv1(512, 256),
            conv3(256, 512),
            conv3(512, 1024),
            _conv1(1024, 512),
            conv3(512, 1024),
            _conv1(1024, 512),
            conv3(512, 1024),
            conv3(1024, 1024),
            conv3(1024, 1024),
            _conv1(512, 64),  # `forward` does not call these in sequence
            conv3(1280, width),
        )

    def forward(self, x: Any) -> Variable:
        """A feature map ``(N, width, H / 32, W / 32)`` of images ``(N, 3, H, W)``, whose sizes are multiples of 32."""
        h = x
        for i in range(20):
            h = self[i](h)
            if i == 12:
                fine = h
            if i in (0, 1, 4, 7, 12):
                h = max_pooling_2d(h, 2)
        mapped: Variable = self[21](concat((reorg(self[20](fine)), h), axis=1))
        return mapped


class YOLOv2Base(YOLOBase):
    """YOLOv2 with any extractor: one feature map of cells of 32 pixels (Redmon & Farhadi 2017).

    A subclass defines `_extractor`, which makes a link with attributes `insize` and `grid` for a number of channels;
    `_anchors`, heights and widths in cells; and `_models`, the published weights.

    Args:
        n_fg_class: Number of classes; None to take it from the weights.
        pretrained_model: The name of weights, the path of a file, or None.
        anchors: Heights and widths of the boxes in a cell, in cells ``(A, 2)``; None: those of the weights, or of
            PASCAL VOC.
        width: Channels of the feature map; None: the value of the weights, or 1024.

    Raises:
        ValueError: `n_fg_class` is not that of the named weights, or nothing sets it.
        FileNotFoundError: The name is unknown, and no such file exists.

    Attributes:
        n_fg_class: As given.
        extractor: The feature extractor.
        subnet: The last convolution.
        nms_thresh, score_thresh: See `YOLOBase`.
    """

    _extractor: ClassVar[Callable[[int], Any]]
    _anchors: ClassVar[tuple[tuple[float, float], ...]]
    _models: ClassVar[Mapping[str, PublishedModel]]

    def __init__(
        self,
        n_fg_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        anchors: Any = None,
        width: int | None = None,
    ) -> None:
        param, path = prepare_pretrained_model(
            {"n_fg_class": n_fg_class, "anchors": anchors, "width": width},
            pretrained_model,
            self._models,
            {"anchors": self._anchors, "width": 1024},
        )
        super().__init__()
        self.n_fg_class = int(param["n_fg_class"])
        channels = int(param["width"])
        with self.init_scope():
            self.extractor = type(self)._extractor(channels)
            self.subnet = Convolution2D(channels, len(param["anchors"]) * (5 + self.n_fg_class), 1)
        step = self.insize / self.extractor.grid
        sizes = [(float(height) * step, float(breadth) * step) for height, breadth in param["anchors"]]
        self._cells = boxes_of_cells(self.extractor.grid, step, sizes)
        load_pretrained_model(self, path, heads=("subnet",), strict=False)

    def forward(self, x: Any) -> tuple[Variable, Variable, Variable]:
        """Locations ``(N, K, 4)``, objectness ``(N, K)`` and class scores ``(N, K, n_fg_class)`` of K boxes.

        Args:
            x: Images ``(N, 3, insize, insize)``, from 0 to 1.
        """
        h = by_box(self.subnet(self.extractor(x)), 5 + self.n_fg_class)
        return h[:, :, :4], h[:, :, 4], h[:, :, 5:]

    def _class_probabilities(self, conf: Any) -> Variable:
        return softmax(conf)


class YOLOv2(YOLOv2Base):
    """YOLOv2 with Darknet-19, for images of 416 pixels: 845 boxes (Redmon & Farhadi 2017).

    Args:
        n_fg_class: Number of classes; None to take it from the weights.
        pretrained_model: ``"voc0712"``: weights for the 20 classes of PASCAL VOC. A path of such a file, or None.
        anchors, width: See `YOLOv2Base`.

    Raises:
        ValueError: `n_fg_class` is not that of the named weights, or nothing sets it.
        FileNotFoundError: The name is unknown, and no such file exists.

    Attributes:
        n_fg_class, extractor, subnet, nms_thresh, score_thresh: See `YOLOv2Base`.
    """

    _extractor = Darknet19Extractor
    _anchors = (
        (1.73145, 1.3221),
        (4.00944, 3.19275),
        (8.09892, 5.05587),
        (4.84053, 9.47112),
        (10.0071, 11.2364),
    )
    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "voc0712": published("yolo_v2_voc0712_converted_2018_05_03.npz", cv2=True, n_fg_class=20)
    }
