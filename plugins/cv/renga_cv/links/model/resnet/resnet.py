"""Residual networks (He et al. 2016)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from renga_cv.links.model.imagenet import RESNET_MEAN, trained_on_imagenet
from renga_cv.links.model.resnet.residual_classifier import ResidualClassifier, caffe_pooling, torch_pooling
from renga_cv.utils.pretrained import PublishedModel

__all__ = ["ResNet", "ResNet50", "ResNet101", "ResNet152"]


class ResNet(ResidualClassifier):
    """A residual network with bottlenecks; `ResNet50` and the others choose the depth (He et al. 2016, table 1).

    Layers: ``conv1``, ``pool1``, ``res2`` … ``res5``, ``pool5``, ``fc6``, ``prob``. See `PickableSequentialChain` for
    how to get their outputs.

    Images are float32 ``(N, 3, H, W)``, RGB, from 0 to 255, minus `mean`; `FeaturePredictor` prepares them.

    Args:
        n_layer: Number of layers: 50, 101 or 152.
        n_class: Number of classes; 1000 by default.
        pretrained_model: The file of trained weights, or ``"imagenet"`` for those that ChainerCV's authors have
            published (see `renga_cv.utils.pretrained`). If the file has another number of classes than `n_class`,
            ``fc6`` starts with random weights.
        mean: The mean colour, float32 ``(3, 1, 1)``; that of ImageNet by default.
        initialW: Initializer of filters. Default: HeNormal by fan-out.
        fc_kwargs: Arguments of the fully connected layer; its weights are Normal(0.01) by default.
        arch: ``"fb"``: 3 × 3 convolutions reduce the resolution (Goyal et al. 2017, section 5.1).
            ``"he"``: the 1 × 1 convolutions before them reduce it, as in the paper; with 50 layers, the first
            convolution has a bias, as in the authors' weights. ``"torch"``: as torchvision: ``"fb"`` with another first
            pooling and another constant of batch normalization. ``"keras"``: as Keras' ResNet50:
            ``"he"`` without this bias, with the first pooling of ``"torch"``, and another constant of batch
            normalization.

    Raises:
        ValueError: `n_layer` or `arch` is unknown.
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.

    Attributes:
        mean: As given.
    """

    _models: ClassVar[Mapping[str, Mapping[int, Mapping[str, PublishedModel]]]] = {
        "fb": {
            50: trained_on_imagenet("resnet50_imagenet_trained_2018_11_26.npz", RESNET_MEAN, cv2=True),
            101: trained_on_imagenet("resnet101_imagenet_trained_2018_11_26.npz", RESNET_MEAN, cv2=True),
            152: trained_on_imagenet("resnet152_imagenet_trained_2018_11_26.npz", RESNET_MEAN, cv2=True),
        },
        "he": {
            50: trained_on_imagenet("resnet50_imagenet_converted_2018_03_07.npz", RESNET_MEAN),
            101: trained_on_imagenet("resnet101_imagenet_converted_2018_03_07.npz", RESNET_MEAN),
            152: trained_on_imagenet("resnet152_imagenet_converted_2018_03_07.npz", RESNET_MEAN),
        },
        "torch": {},
        "keras": {},
    }

    def __init__(
        self,
        n_layer: int,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
        arch: str = "fb",
    ) -> None:
        if arch not in self._models:
            raise ValueError(f"{type(self).__name__}: arch is {arch!r}; it can be 'fb', 'he', 'torch' or 'keras'")
        constants = {"torch": 1e-5, "keras": 1e-3}
        super().__init__(
            n_layer,
            n_class,
            pretrained_model,
            mean,
            initialW,
            fc_kwargs,
            models=self._models[arch].get(n_layer, {}),
            width=64,
            conv1_nobias=not (arch == "he" and n_layer == 50),
            block_kwargs={"stride_first": arch in ("he", "keras")},
            pool1=torch_pooling if arch in constants else caffe_pooling,
            bn_kwargs={"eps": constants[arch]} if arch in constants else {},
            arguments={"arch": arch},
        )


class ResNet50(ResNet):
    """A residual network of 50 layers. Arguments are those of `ResNet`."""

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
        arch: str = "fb",
    ) -> None:
        super().__init__(50, n_class, pretrained_model, mean, initialW, fc_kwargs, arch)


class ResNet101(ResNet):
    """A residual network of 101 layers. Arguments are those of `ResNet`."""

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
        arch: str = "fb",
    ) -> None:
        super().__init__(101, n_class, pretrained_model, mean, initialW, fc_kwargs, arch)


class ResNet152(ResNet):
    """A residual network of 152 layers. Arguments are those of `ResNet`."""

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        fc_kwargs: Mapping[str, Any] = MappingProxyType({}),
        arch: str = "fb",
    ) -> None:
        super().__init__(152, n_class, pretrained_model, mean, initialW, fc_kwargs, arch)
