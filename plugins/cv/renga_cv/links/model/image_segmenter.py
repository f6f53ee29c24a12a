"""The segmenters as models of run files: ``[model] use = "pspnet_resnet50"``. Images in, scores of each pixel out.

Each function makes a network for `n_out` classes; by default the number of classes in the data set. `pretrained_model`
names trained weights: a name for the same number of classes, the path of a file, or for PSPNet ``"imagenet"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.model.deeplab.deeplab_v3_mobilenet_v2 import DeepLabV3MobileNetV2
from renga_cv.links.model.deeplab.deeplab_v3plus import DeepLabV3plusXception65
from renga_cv.links.model.pspnet.pspnet import PSPNet, PSPNetResNet50, PSPNetResNet101
from renga_cv.links.model.segmentation import Host
from renga_cv.links.model.segnet.segnet_basic import SegNetBasic
from renga_nn.functions.array.resize_images import resize_images

__all__ = [
    "ImageSegmenter",
    "deeplab_v3_mobilenet_v2",
    "deeplab_v3plus_xception65",
    "pspnet_resnet50",
    "pspnet_resnet101",
    "segnet_basic",
]


class ImageSegmenter(Chain):
    """The class scores of each pixel of images from 0 to 255, as the task `semantic_segmentation` trains it.

    Training uses the same numbers as `predict`: the colours minus a mean, divided by a scale.

    Args:
        network: A network that gives class scores, perhaps at a lower resolution, and predicts labels of images.
        mean: The mean colour, subtracted from images, ``(3, 1, 1)``.
        scale: The divisor after the subtraction.

    Attributes:
        network, scale: As given.
        mean: As given; it is saved and moved with the network.
    """

    def __init__(
        self,
        network: SegNetBasic | PSPNet | DeepLabV3plusXception65 | DeepLabV3MobileNetV2,
        mean: Host,
        scale: float = 1,
    ) -> None:
        super().__init__()
        self.scale = scale
        with self.init_scope():
            self.network = network
        self.mean: Any
        self.add_persistent("mean", mean)

    def forward(self, x: Any) -> Variable:
        """Class scores ``(N, n_out, H, W)`` of images ``(N, 3, H, W)``, RGB, from 0 to 255."""
        scores = self.network((x - self.mean) / self.scale)
        return scores if scores.shape[2:] == x.shape[2:] else resize_images(scores, x.shape[2:])

    def predict(self, imgs: Sequence[Host]) -> list[Host]:
        """The class of each pixel, int32 ``(H, W)``, for images ``(3, H, W)`` of any sizes."""
        return self.network.predict(imgs)


def segnet_basic(n_out: int, pretrained_model: str | None = None) -> ImageSegmenter:
    """`SegNetBasic`."""
    return ImageSegmenter(SegNetBasic(n_out, pretrained_model), np.zeros((3, 1, 1), np.float32))


def pspnet_resnet50(n_out: int, pretrained_model: str | None = None, input_size: int | None = None) -> ImageSegmenter:
    """`PSPNetResNet50`."""
    network = PSPNetResNet50(n_out, pretrained_model, input_size)
    return ImageSegmenter(network, network.mean)


def pspnet_resnet101(n_out: int, pretrained_model: str | None = None, input_size: int | None = None) -> ImageSegmenter:
    """`PSPNetResNet101`."""
    network = PSPNetResNet101(n_out, pretrained_model, input_size)
    return ImageSegmenter(network, network.mean)


def deeplab_v3plus_xception65(
    n_out: int, pretrained_model: str | None = None, min_input_size: int | None = None
) -> ImageSegmenter:
    """`DeepLabV3plusXception65`."""
    network = DeepLabV3plusXception65(n_out, pretrained_model, min_input_size)
    return ImageSegmenter(network, network.feature_extractor.mean, 127.5)


def deeplab_v3_mobilenet_v2(
    n_out: int, pretrained_model: str | None = None, depth_multiplier: float | None = None
) -> ImageSegmenter:
    """`DeepLabV3MobileNetV2`."""
    network = DeepLabV3MobileNetV2(n_out, pretrained_model, depth_multiplier)
    return ImageSegmenter(network, network.mean, 127.5)
