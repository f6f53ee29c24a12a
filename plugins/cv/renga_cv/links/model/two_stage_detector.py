"""The detectors in two stages as models of run files: ``[model] use = "mask_rcnn_fpn_resnet50"``.

Each function makes a network for `n_out` classes, which the data set says if nobody else does, on trained weights if
`pretrained_model` names some: a name for as many classes, the path of a file, or ``"imagenet"`` for the extractor.
`min_size` and `max_size` are the length of the shorter side of images, and the most of the longer one.

They predict. To train one, use `FasterRCNNTrainChain`, or the losses of `renga.cv.links.model.fpn`.
"""

from __future__ import annotations

from renga_cv.links.model.faster_rcnn.faster_rcnn_vgg import FasterRCNNVGG16
from renga_cv.links.model.fpn.faster_rcnn_fpn_resnet import (
    FasterRCNNFPNResNet50,
    FasterRCNNFPNResNet101,
    MaskRCNNFPNResNet50,
    MaskRCNNFPNResNet101,
)

__all__ = [
    "faster_rcnn_fpn_resnet50",
    "faster_rcnn_fpn_resnet101",
    "faster_rcnn_vgg16",
    "mask_rcnn_fpn_resnet50",
    "mask_rcnn_fpn_resnet101",
]


def faster_rcnn_vgg16(
    n_out: int, pretrained_model: str | None = None, min_size: int = 600, max_size: int = 1000
) -> FasterRCNNVGG16:
    """`FasterRCNNVGG16`."""
    return FasterRCNNVGG16(n_out, pretrained_model, min_size, max_size)


def faster_rcnn_fpn_resnet50(
    n_out: int, pretrained_model: str | None = None, min_size: int = 800, max_size: int = 1333
) -> FasterRCNNFPNResNet50:
    """`FasterRCNNFPNResNet50`."""
    return FasterRCNNFPNResNet50(n_out, pretrained_model, min_size=min_size, max_size=max_size)


def faster_rcnn_fpn_resnet101(
    n_out: int, pretrained_model: str | None = None, min_size: int = 800, max_size: int = 1333
) -> FasterRCNNFPNResNet101:
    """`FasterRCNNFPNResNet101`."""
    return FasterRCNNFPNResNet101(n_out, pretrained_model, min_size=min_size, max_size=max_size)


def mask_rcnn_fpn_resnet50(
    n_out: int, pretrained_model: str | None = None, min_size: int = 800, max_size: int = 1333
) -> MaskRCNNFPNResNet50:
    """`MaskRCNNFPNResNet50`."""
    return MaskRCNNFPNResNet50(n_out, pretrained_model, min_size=min_size, max_size=max_size)


def mask_rcnn_fpn_resnet101(
    n_out: int, pretrained_model: str | None = None, min_size: int = 800, max_size: int = 1333
) -> MaskRCNNFPNResNet101:
    """`MaskRCNNFPNResNet101`."""
    return MaskRCNNFPNResNet101(n_out, pretrained_model, min_size=min_size, max_size=max_size)
