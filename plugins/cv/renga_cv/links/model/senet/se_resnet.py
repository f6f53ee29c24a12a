"""Residual networks with squeeze and excitation (Hu, Shen & Sun 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from renga_cv.links.model.imagenet import RESNET_MEAN, trained_on_imagenet
from renga_cv.links.model.senet.se_classifier import OfOneDepth, SEClassifier
from renga_cv.utils.pretrained import PublishedModel

__all__ = ["SEResNet", "SEResNet50", "SEResNet101", "SEResNet152"]


class SEResNet(SEClassifier):
    """A residual network in which an `SEBlock` ends each bottleneck; subclasses such as `SEResNet50` define the depth.

    Layers, images and arguments are those of `ResNet`. The first 1 × 1 convolution of a stage reduces the resolution,
    as in `ResNet` with ``arch="he"``; the first convolution has no bias.

    Args:
        n_layer, n_class, pretrained_model, mean, initialW, fc_kwargs: See `ResNet`.

    Raises: See `ResNet`.

    Attributes:
        mean: As given.
    """

    _models: ClassVar[Mapping[int, Mapping[str, PublishedModel]]] = {
        50: trained_on_imagenet("se_resnet50_imagenet_converted_2018_06_25.npz", RESNET_MEAN),
        101: trained_on_imagenet("se_resnet101_imagenet_converted_2018_06_25.npz", RESNET_MEAN),
        152: trained_on_imagenet("se_resnet152_imagenet_converted_2018_06_25.npz", RESNET_MEAN),
    }
    _width = 64
    _block_kwargs: ClassVar[Mapping[str, Any]] = {"stride_first": True}


class SEResNet50(OfOneDepth, SEResNet):
    """A residual network of 50 layers with squeeze and excitation. Arguments are those of `SEResNet`."""

    _n_layer = 50


class SEResNet101(OfOneDepth, SEResNet):
    """A residual network of 101 layers with squeeze and excitation. Arguments are those of `SEResNet`."""

    _n_layer = 101


class SEResNet152(OfOneDepth, SEResNet):
    """A residual network of 152 layers with squeeze and excitation. Arguments are those of `SEResNet`."""

    _n_layer = 152
