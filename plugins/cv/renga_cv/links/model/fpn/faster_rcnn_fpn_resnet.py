"""Faster R-CNN and Mask R-CNN on a feature pyramid of ResNet."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from renga_cv.links.model.fpn.bbox_head import BboxHead
from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN
from renga_cv.links.model.fpn.feature_pyramid import FPN
from renga_cv.links.model.fpn.mask_head import MaskHead
from renga_cv.links.model.fpn.rpn import RPN
from renga_cv.links.model.resnet.resnet import ResNet50, ResNet101
from renga_cv.utils.pretrained import PublishedModel, load_pretrained_model, prepare_pretrained_model, published
from renga_nn.functions.pooling import max_pooling_2d

__all__ = [
    "FasterRCNNFPNResNet",
    "FasterRCNNFPNResNet50",
    "FasterRCNNFPNResNet101",
    "MaskRCNNFPNResNet",
    "MaskRCNNFPNResNet50",
    "MaskRCNNFPNResNet101",
]

_SCALES = (1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64)


class FasterRCNNFPNResNet(FasterRCNN):
    """Faster R-CNN on a feature pyramid of ResNet (Lin et al. 2017, 5.2); subclasses define the depth.

    Args:
        n_fg_class: Number of classes, without the background.
        pretrained_model: The file of trained weights, or the name of published ones (see `renga_cv.utils.pretrained`):
            ``"coco"``, or ``"imagenet"`` for ResNet only.
        return_values: Results of `predict`; see `FasterRCNN`.
        min_size, max_size: Target length of the shorter side, and limit of the longer side.

    Raises:
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.
    """

    _base: ClassVar[type[ResNet50 | ResNet101]]
    _models: ClassVar[Mapping[str, PublishedModel]]

    def __init__(
        self,
        n_fg_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        return_values: Sequence[str] = ("bboxes", "labels", "scores"),
        min_size: int = 800,
        max_size: int = 1333,
    ) -> None:
        of_base = "imagenet" if pretrained_model == "imagenet" else None
        param, path = prepare_pretrained_model(
            {"n_fg_class": n_fg_class}, None if of_base else pretrained_model, self._models
        )
        base: Any = self._base(pretrained_model=of_base, arch="he")
        base.pool1 = _max_pooling
        base.pick = ("res2", "res3", "res4", "res5")
        base.remove_unused()
        n_class = param["n_fg_class"] + 1
        super().__init__(
            FPN(base, len(base.pick), _SCALES),
            RPN(_SCALES),
            BboxHead(n_class, _SCALES),
            MaskHead(n_class, _SCALES) if "masks" in return_values else None,
            return_values,
            min_size,
            max_size,
        )
        heads = () if n_fg_class is None else ("bbox_head/loc", "bbox_head/conf", "mask_head/seg")
        load_pretrained_model(self, path, heads=heads)


class MaskRCNNFPNResNet(FasterRCNNFPNResNet):
    """Mask R-CNN on a feature pyramid of ResNet (He et al. 2017); subclasses define the depth.

    Arguments are those of `FasterRCNNFPNResNet`.
    """

    def __init__(
        self,
        n_fg_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        return_values: Sequence[str] = ("masks", "labels", "scores"),
        min_size: int = 800,
        max_size: int = 1333,
    ) -> None:
        super().__init__(n_fg_class, pretrained_model, return_values, min_size, max_size)


class FasterRCNNFPNResNet50(FasterRCNNFPNResNet):
    """Faster R-CNN on a feature pyramid of ResNet with 50 layers; arguments are those of `FasterRCNNFPNResNet`."""

    _base = ResNet50
    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "coco": published("faster_rcnn_fpn_resnet50_coco_trained_2019_03_15.npz", cv2=True, n_fg_class=80)
    }


class FasterRCNNFPNResNet101(FasterRCNNFPNResNet):
    """Faster R-CNN on a feature pyramid of ResNet with 101 layers; arguments are those of `FasterRCNNFPNResNet`."""

    _base = ResNet101
    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "coco": published("faster_rcnn_fpn_resnet101_coco_trained_2019_03_15.npz", cv2=True, n_fg_class=80)
    }


class MaskRCNNFPNResNet50(MaskRCNNFPNResNet):
    """Mask R-CNN on a feature pyramid of ResNet with 50 layers; arguments are those of `MaskRCNNFPNResNet`."""

    _base = ResNet50
    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "coco": published("mask_rcnn_fpn_resnet50_coco_trained_2019_03_15.npz", cv2=True, n_fg_class=80)
    }


class MaskRCNNFPNResNet101(MaskRCNNFPNResNet):
    """Mask R-CNN on a feature pyramid of ResNet with 101 layers; arguments are those of `MaskRCNNFPNResNet`."""

    _base = ResNet101
    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "coco": published("mask_rcnn_fpn_resnet101_coco_trained_2019_03_15.npz", cv2=True, n_fg_class=80)
    }


def _max_pooling(x: Any) -> Any:
    """Max pooling as in the published weights: with a border, and sizes rounded down."""
    return max_pooling_2d(x, 3, 2, 1, cover_all=False)
