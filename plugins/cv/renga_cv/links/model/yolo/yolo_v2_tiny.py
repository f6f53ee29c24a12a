"""A small YOLO of the second version."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

from renga_core.graph import Variable
from renga_core.link import ChainList
from renga_cv.links.model.yolo.yolo_v2 import YOLOv2Base, conv3
from renga_cv.utils.pretrained import PublishedModel, published
from renga_nn.functions.pooling import max_pooling_2d

__all__ = ["DarknetExtractor", "YOLOv2Tiny"]


class DarknetExtractor(ChainList):
    """The eight convolutions of Darknet's ``yolov2-tiny``.

    Args:
        width: Channels of the feature map.

    Attributes:
        insize: Edge of the input, in pixels.
        grid: Edge of the feature map.
    """

    insize = 416
    grid = 13

    def __init__(self, width: int = 1024) -> None:
        channels = (3, 16, 32, 64, 128, 256, 512, 1024, width)
        super().__init__(*[conv3(n_in, n_out) for n_in, n_out in pairwise(channels)])

    def forward(self, x: Any) -> Variable:
        """A feature map ``(N, width, H / 32, W / 32)`` of images ``(N, 3, H, W)``, whose sizes are multiples of 32."""
        h: Any = x
        for i in range(5):
            h = max_pooling_2d(self[i](h), 2)
        # The sixth pool keeps the size: its last window extends beyond the border.
        h = self[5](h)
        h = max_pooling_2d(h, 2, stride=1, pad=1)
        mapped: Variable = self[7](self[6](h[:, :, 1:, 1:]))
        return mapped


class YOLOv2Tiny(YOLOv2Base):
    """A small, fast YOLOv2 for images of 416 pixels: 845 boxes.

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

    _extractor = DarknetExtractor
    _anchors = ((1.19, 1.08), (4.41, 3.42), (11.38, 6.63), (5.11, 9.42), (10.52, 16.62))
    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "voc0712": published("yolo_v2_tiny_voc0712_converted_2018_10_19.npz", cv2=True, n_fg_class=20)
    }
