"""The base class of SE-ResNet and SE-ResNeXt (Hu, Shen & Sun 2018)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from renga_cv.links.model.resnet.residual_classifier import ResidualClassifier
from renga_cv.utils.pretrained import PublishedModel

__all__ = ["OfOneDepth", "SEClassifier"]


class SEClassifier(ResidualClassifier):
    """A residual network in which an `SEBlock` ends each bottleneck. The first convolution has no bias.

    Args:
        n_layer, n_class, pretrained_model, mean, initialW, fc_kwargs: See `ResNet`.

    Raises: See `ResNet`.
    """

    _models: ClassVar[Mapping[int, Mapping[str, PublishedModel]]]
    _width: ClassVar[int]
    _block_kwargs: ClassVar[Mapping[str, Any]]

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
            width=self._width,
            conv1_nobias=True,
            block_kwargs={"add_seblock": True, **self._block_kwargs},
        )


class OfOneDepth(SEClassifier):
    """Base class for a given depth: subclasses also derive from a family of networks, and define `_n_layer`."""

    _n_layer: ClassVar[int]

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(self._n_layer, n_class, pretrained_model, mean, initialW, fc_kwargs)
