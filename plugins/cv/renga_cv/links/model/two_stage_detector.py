"""The detectors in two stages as models of run files: ``[model] use = "mask_rcnn_fpn_resnet50"``.

Each function makes a network for `n_out` classes; by default the number of classes in the data set. `pretrained_model`
names trained weights: a name for the same number of classes, the path of a file, or ``"imagenet"`` for the extractor.
`min_size` is the length of the shorter side of images, `max_size` the limit of the longer side; `anchor_scales` are
edges of objects in resized images, in units of 16 pixels.

The tasks `detection` and `instance_segmentation` train them. Start from trained weights. The extractors of FCIS and
Light-Head R-CNN never train their first stages and their batch normalization; the other extractors train them only if
`pretrained_model` is not given.
"""

from __future__ import annotations

from typing import Any, TypeVar

from renga_cv.links.model.faster_rcnn.faster_rcnn_vgg import FasterRCNNVGG16
from renga_cv.links.model.fcis.fcis_resnet101 import FCISResNet101
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import (
    FasterRCNNFPNResNet,
    FasterRCNNFPNResNet50,
    FasterRCNNFPNResNet101,
    MaskRCNNFPNResNet50,
    MaskRCNNFPNResNet101,
)
from renga_cv.links.model.fpn.feature_pyramid import keep_trained
from renga_cv.links.model.light_head_rcnn.light_head_rcnn_resnet101 import LightHeadRCNNResNet101

__all__ = [
    "faster_rcnn_fpn_resnet50",
    "faster_rcnn_fpn_resnet101",
    "faster_rcnn_vgg16",
    "fcis_resnet101",
    "light_head_rcnn_resnet101",
    "mask_rcnn_fpn_resnet50",
    "mask_rcnn_fpn_resnet101",
]

Pyramid = TypeVar("Pyramid", bound=FasterRCNNFPNResNet)


def faster_rcnn_vgg16(
    n_out: int,
    pretrained_model: str | None = None,
    min_size: int = 600,
    max_size: int = 1000,
    anchor_scales: tuple[float, ...] = (8, 16, 32),
) -> FasterRCNNVGG16:
    """`FasterRCNNVGG16`."""
    return FasterRCNNVGG16(n_out, pretrained_model, min_size, max_size, anchor_scales=anchor_scales)


def light_head_rcnn_resnet101(
    n_out: int,
    pretrained_model: str | None = None,
    min_size: int = 800,
    max_size: int = 1333,
    anchor_scales: tuple[float, ...] = (2, 4, 8, 16, 32),
) -> LightHeadRCNNResNet101:
    """`LightHeadRCNNResNet101`."""
    return LightHeadRCNNResNet101(n_out, pretrained_model, min_size, max_size, anchor_scales=anchor_scales)


def fcis_resnet101(
    n_out: int,
    pretrained_model: str | None = None,
    min_size: int = 600,
    max_size: int = 1000,
    anchor_scales: tuple[float, ...] | None = None,
) -> FCISResNet101:
    """`FCISResNet101`. The default of `anchor_scales` comes from the weights, or is 8, 16 and 32."""
    scales: dict[str, Any] = {} if anchor_scales is None else {"anchor_scales": anchor_scales}
    return FCISResNet101(n_out, pretrained_model, min_size, max_size, **scales)


def faster_rcnn_fpn_resnet50(
    n_out: int, pretrained_model: str | None = None, min_size: int = 800, max_size: int = 1333
) -> FasterRCNNFPNResNet50:
    """`FasterRCNNFPNResNet50`."""
    return _pyramid(FasterRCNNFPNResNet50, n_out, pretrained_model, min_size, max_size)


def faster_rcnn_fpn_resnet101(
    n_out: int, pretrained_model: str | None = None, min_size: int = 800, max_size: int = 1333
) -> FasterRCNNFPNResNet101:
    """`FasterRCNNFPNResNet101`."""
    return _pyramid(FasterRCNNFPNResNet101, n_out, pretrained_model, min_size, max_size)


def mask_rcnn_fpn_resnet50(
    n_out: int, pretrained_model: str | None = None, min_size: int = 800, max_size: int = 1333
) -> MaskRCNNFPNResNet50:
    """`MaskRCNNFPNResNet50`."""
    return _pyramid(MaskRCNNFPNResNet50, n_out, pretrained_model, min_size, max_size)


def mask_rcnn_fpn_resnet101(
    n_out: int, pretrained_model: str | None = None, min_size: int = 800, max_size: int = 1333
) -> MaskRCNNFPNResNet101:
    """`MaskRCNNFPNResNet101`."""
    return _pyramid(MaskRCNNFPNResNet101, n_out, pretrained_model, min_size, max_size)


def _pyramid(network: type[Pyramid], n_out: int, pretrained_model: str | None, min_size: int, max_size: int) -> Pyramid:
    made = network(n_out, pretrained_model, min_size=min_size, max_size=max_size)
    if pretrained_model is not None:
        keep_trained(made.extractor)
    return made
