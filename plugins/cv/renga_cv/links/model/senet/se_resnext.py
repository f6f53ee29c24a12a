"""Residual networks of grouped convolutions (Xie et al. 2017), with squeeze and excitation (Hu, Shen & Sun 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from renga_cv.links.model.imagenet import RESNET_MEAN, trained_on_imagenet
from renga_cv.links.model.senet.se_classifier import OfOneDepth, SEClassifier
from renga_cv.utils.pretrained import PublishedModel

__all__ = ["SEResNeXt", "SEResNeXt50", "SEResNeXt101"]


class SEResNeXt(SEClassifier):
    """A ResNeXt, 32 × 4d, in which an `SEBlock` ends each bottleneck; subclasses define the depth.

    Layers, images and arguments are those of `ResNet`. The 3 × 3 convolutions have 32 groups and twice as many
    channels, and reduce the resolution.

    Args:
        n_layer, n_class, pretrained_model, mean, initialW, fc_kwargs: See `ResNet`.

    Raises: See `ResNet`.

    Attributes:
        mean: As given.
    """

    _models: ClassVar[Mapping[int, Mapping[str, PublishedModel]]] = {
        50: trained_on_imagenet("se_resnext50_imagenet_converted_2018_06_28.npz", RESNET_MEAN),
        101: trained_on_imagenet("se_resnext101_imagenet_converted_2018_06_28.npz", RESNET_MEAN),
    }
    _width = 128
    _block_kwargs: ClassVar[Mapping[str, Any]] = {"groups": 32}


class SEResNeXt50(OfOneDepth, SEResNeXt):
    """A ResNeXt of 50 layers with squeeze and excitation. Arguments are those of `SEResNeXt`."""

    _n_layer = 50


class SEResNeXt101(OfOneDepth, SEResNeXt):
    """A ResNeXt of 101 layers with squeeze and excitation. Arguments are those of `SEResNeXt`."""

    _n_layer = 101
