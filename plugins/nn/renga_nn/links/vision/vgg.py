"""VGG: deep networks of 3 × 3 convolutions (Simonyan & Zisserman 2015)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

from renga_nn.functions.activation import relu, softmax
from renga_nn.functions.noise import dropout
from renga_nn.functions.pooling import max_pooling_2d
from renga_nn.initializers import Normal, Zero
from renga_nn.links.caffe import CaffeFunction
from renga_nn.links.convolution_2d import Convolution2D
from renga_nn.links.linear import Linear
from renga_nn.links.vision.images import Host, as_network_input
from renga_nn.links.vision.pretrained import PretrainedClassifier

__all__ = ["VGG16Layers", "VGG19Layers", "prepare"]

MEAN = (103.939, 116.779, 123.68)


def prepare(image: Any, size: tuple[int, int] | None = (224, 224)) -> Host:
    """Prepare an image for VGG; see `PretrainedClassifier.prepare`."""
    return as_network_input(image, size, MEAN)


class _VGGLayers(PretrainedClassifier):
    """The base of both networks.

    Attributes:
        stages: Number of convolutions in each of five stages.
    """

    mean = MEAN
    feature = "fc7"
    stages: ClassVar[tuple[int, ...]]

    def __init__(self, pretrained_model: str | os.PathLike[str] | None = "auto") -> None:
        super().__init__()
        # Weights that a file will replace need no random numbers.
        initial: dict[str, Any] = {"initialW": Normal(0.01) if pretrained_model is None else Zero()}
        channels = 3
        with self.init_scope():
            for stage, (count, filters) in enumerate(zip(self.stages, (64, 128, 256, 512, 512), strict=True), 1):
                for number in range(1, count + 1):
                    setattr(self, f"conv{stage}_{number}", Convolution2D(channels, filters, 3, 1, 1, **initial))
                    channels = filters
            self.fc6 = Linear(512 * 7 * 7, 4096, **initial)
            self.fc7 = Linear(4096, 4096, **initial)
            self.fc8 = Linear(4096, 1000, **initial)
        self.load(pretrained_model)

    @property
    def functions(self) -> dict[str, list[Callable[[Any], Any]]]:
        """As of `PretrainedClassifier`."""
        made: dict[str, list[Callable[[Any], Any]]] = {}
        for stage, count in enumerate(self.stages, 1):
            for number in range(1, count + 1):
                name = f"conv{stage}_{number}"
                made[name] = [self[name], relu]
            made[f"pool{stage}"] = [_pool]
        made["fc6"] = [self.fc6, relu, dropout]
        made["fc7"] = [self.fc7, relu, dropout]
        made["fc8"] = [self.fc8]
        made["prob"] = [softmax]
        return made

    def copy_from_caffe(self, source: CaffeFunction) -> None:
        """The names are the same."""
        for name, link in self.namedlinks(skipself=True):
            link.copyparams(source[name.lstrip("/")])


class VGG16Layers(_VGGLayers):
    """VGG with 16 weight layers; 138,357,544 parameters.

    Args:
        pretrained_model: A file with weights; ``"auto"`` for ``VGG_ILSVRC_16_layers.npz`` in the folder ``models`` of
            ``dataset.root``; None for random weights. See `PretrainedClassifier.load`.
    """

    file_name = "VGG_ILSVRC_16_layers.npz"
    stages = (2, 2, 3, 3, 3)


class VGG19Layers(_VGGLayers):
    """VGG with 19 weight layers; 143,667,240 parameters.

    Args:
        pretrained_model: A file with weights; ``"auto"`` for ``VGG_ILSVRC_19_layers.npz`` in the folder ``models`` of
            ``dataset.root``; None for random weights. See `PretrainedClassifier.load`.
    """

    file_name = "VGG_ILSVRC_19_layers.npz"
    stages = (2, 2, 4, 4, 4)


def _pool(x: Any) -> Any:
    return max_pooling_2d(x, 2)
