"""Residual networks of grouped convolutions (Xie et al. 2017), with squeeze and excitation (Hu, Shen & Sun 2018)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from renga_cv.links.model.imagenet import RESNET_MEAN, trained_on_imagenet
from renga_cv.links.model.resnet.residual_classifier import ResidualClassifier
from renga_cv.utils.pretrained import PublishedModel

__all__ = ["SEResNeXt", "SEResNeXt50", "SEResNeXt101"]


class SEResNeXt(ResidualClassifier):
    """A ResNeXt, 32 × 4d, in which an `SEBlock` ends each bottleneck; `SEResNeXt50` and `SEResNeXt101` say how deep.

    Layers, images and arguments are those of `ResNet`. The 3 × 3 convolutions have 32 groups and twice as many
    channels, and reduce the resolution.

    Args:
        n_layer, n_class, pretrained_model, mean, initialW, fc_kwargs: As of `ResNet`.

    Raises: as `ResNet`.

    Attributes:
        mean: As given.
    """

    _models: ClassVar[Mapping[int, Mapping[str, PublishedModel]]] = {
        50: trained_on_imagenet("se_resnext50_imagenet_converted_2018_06_28.npz", RESNET_MEAN),
        101: trained_on_imagenet("se_resnext101_imagenet_converted_2018_06_28.npz", RESNET_MEAN),
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
            width=128,
            conv1_nobias=True,
            block_kwargs={"groups": 32, "add_seblock": True},
        )


class SEResNeXt50(SEResNeXt):
    """A ResNeXt of 50 layers with squeeze and excitation. Arguments are those of `SEResNeXt`."""

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(50, n_class, pretrained_model, mean, initialW, fc_kwargs)


class SEResNeXt101(SEResNeXt):
    """A ResNeXt of 101 layers with squeeze and excitation. Arguments are those of `SEResNeXt`."""

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(101, n_class, pretrained_model, mean, initialW, fc_kwargs)
