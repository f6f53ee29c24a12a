"""Residual networks with squeeze and excitation (Hu, Shen & Sun 2018)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from renga_cv.links.model.imagenet import RESNET_MEAN, trained_on_imagenet
from renga_cv.links.model.resnet.residual_classifier import ResidualClassifier
from renga_cv.utils.pretrained import PublishedModel

__all__ = ["SEResNet", "SEResNet50", "SEResNet101", "SEResNet152"]


class SEResNet(ResidualClassifier):
    """A residual network in which an `SEBlock` ends each bottleneck; `SEResNet50` and the others say of which depth.

    Layers, images and arguments are those of `ResNet`. The first 1 × 1 convolution of a stage reduces the resolution,
    as in `ResNet` with ``arch="he"``; the first convolution has no bias.

    Args:
        n_layer, n_class, pretrained_model, mean, initialW, fc_kwargs: As of `ResNet`.

    Raises: as `ResNet`.

    Attributes:
        mean: As given.
    """

    _models: ClassVar[Mapping[int, Mapping[str, PublishedModel]]] = {
        50: trained_on_imagenet("se_resnet50_imagenet_converted_2018_06_25.npz", RESNET_MEAN),
        101: trained_on_imagenet("se_resnet101_imagenet_converted_2018_06_25.npz", RESNET_MEAN),
        152: trained_on_imagenet("se_resnet152_imagenet_converted_2018_06_25.npz", RESNET_MEAN),
    }

    def __init__(
        self,
        n_layer: int,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(
            n_layer,
            n_class,
            pretrained_model,
            mean,
            initialW,
            fc_kwargs,
            models=self._models.get(n_layer, {}),
            width=64,
            conv1_nobias=True,
            block_kwargs={"stride_first": True, "add_seblock": True},
        )


class SEResNet50(SEResNet):
    """A residual network of 50 layers with squeeze and excitation. Arguments are those of `SEResNet`."""

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(50, n_class, pretrained_model, mean, initialW, fc_kwargs)


class SEResNet101(SEResNet):
    """A residual network of 101 layers with squeeze and excitation. Arguments are those of `SEResNet`."""

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(101, n_class, pretrained_model, mean, initialW, fc_kwargs)


class SEResNet152(SEResNet):
    """A residual network of 152 layers with squeeze and excitation. Arguments are those of `SEResNet`."""

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(152, n_class, pretrained_model, mean, initialW, fc_kwargs)
