"""The classifiers as models of run files: ``[model] use = "resnet50"``. Images in, class scores out.

Each function makes a network for `n_out` classes; by default the number of classes in the data set. `pretrained_model`
names trained weights. With these, images must be in colour and have values from 0 to 1 (``normalize = false`` of the
data set ``image_folder``); if the weights have another number of classes, the last layer starts with random weights.
The default of `arch` is the entry in the file of weights.
"""

from __future__ import annotations

import os
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.model.mobilenet.mobilenet_v2 import MobileNetV2
from renga_cv.links.model.photographs import PhotographPreprocessing
from renga_cv.links.model.pickable_sequential_chain import PickableSequentialChain
from renga_cv.links.model.resnet.resnet import ResNet
from renga_cv.links.model.senet.se_resnet import SEResNet
from renga_cv.links.model.senet.se_resnext import SEResNeXt
from renga_cv.links.model.vgg.vgg16 import VGG16
from renga_cv.utils.pretrained import stored_arguments
from renga_serializers.paths import find_file

__all__ = [
    "ImageClassifier",
    "mobilenet_v2",
    "resnet50",
    "resnet101",
    "resnet152",
    "se_resnet50",
    "se_resnet101",
    "se_resnet152",
    "se_resnext50",
    "se_resnext101",
    "vgg16",
]


class ImageClassifier(Chain):
    """The class scores of a network, before the softmax, for images of values from 0 to 1.

    Args:
        network: A classifier for images from 0 to 255 less its attribute `mean`.
        scores: The name of its layer that gives the scores; the layers after it are removed.

    Attributes:
        network: As given.
        mean: The network's; it is saved and moved with it.
        preprocessing: Converts image files to inputs, if no data set defines it.
    """

    preprocessing = PhotographPreprocessing()

    def __init__(self, network: PickableSequentialChain, scores: str) -> None:
        super().__init__()
        network.pick = scores
        network.remove_unused()
        with self.init_scope():
            self.network = network
        self.mean: Any
        self.add_persistent("mean", network.mean)  # type: ignore[attr-defined]  # see above

    def forward(self, x: Any) -> Variable:
        """Class scores ``(N, n_out)`` of images ``(N, 3, H, W)``."""
        scores: Variable = self.network(x * 255 - self.mean)
        return scores


def vgg16(n_out: int = 1000, pretrained_model: str | None = None) -> ImageClassifier:
    """`VGG16`."""
    return ImageClassifier(VGG16(n_out, pretrained_model), "fc8")


def resnet50(n_out: int = 1000, pretrained_model: str | None = None, arch: str | None = None) -> ImageClassifier:
    """`ResNet` of 50 layers."""
    arch = arch or _stored_arch(pretrained_model) or "fb"
    return ImageClassifier(ResNet(50, n_out, pretrained_model, arch=arch), "fc6")


def resnet101(n_out: int = 1000, pretrained_model: str | None = None, arch: str | None = None) -> ImageClassifier:
    """`ResNet` of 101 layers."""
    arch = arch or _stored_arch(pretrained_model) or "fb"
    return ImageClassifier(ResNet(101, n_out, pretrained_model, arch=arch), "fc6")


def resnet152(n_out: int = 1000, pretrained_model: str | None = None, arch: str | None = None) -> ImageClassifier:
    """`ResNet` of 152 layers."""
    arch = arch or _stored_arch(pretrained_model) or "fb"
    return ImageClassifier(ResNet(152, n_out, pretrained_model, arch=arch), "fc6")


def se_resnet50(n_out: int = 1000, pretrained_model: str | None = None) -> ImageClassifier:
    """`SEResNet` of 50 layers."""
    return ImageClassifier(SEResNet(50, n_out, pretrained_model), "fc6")


def se_resnet101(n_out: int = 1000, pretrained_model: str | None = None) -> ImageClassifier:
    """`SEResNet` of 101 layers."""
    return ImageClassifier(SEResNet(101, n_out, pretrained_model), "fc6")


def se_resnet152(n_out: int = 1000, pretrained_model: str | None = None) -> ImageClassifier:
    """`SEResNet` of 152 layers."""
    return ImageClassifier(SEResNet(152, n_out, pretrained_model), "fc6")


def se_resnext50(n_out: int = 1000, pretrained_model: str | None = None) -> ImageClassifier:
    """`SEResNeXt` of 50 layers."""
    return ImageClassifier(SEResNeXt(50, n_out, pretrained_model), "fc6")


def se_resnext101(n_out: int = 1000, pretrained_model: str | None = None) -> ImageClassifier:
    """`SEResNeXt` of 101 layers."""
    return ImageClassifier(SEResNeXt(101, n_out, pretrained_model), "fc6")


def mobilenet_v2(
    n_out: int = 1000, pretrained_model: str | None = None, arch: str | None = None, depth_multiplier: float = 1.0
) -> ImageClassifier:
    """`MobileNetV2`."""
    arch = arch or _stored_arch(pretrained_model) or "tf"
    network = MobileNetV2(n_out, pretrained_model, arch=arch, depth_multiplier=depth_multiplier)
    return ImageClassifier(network, "squeeze")


def _stored_arch(pretrained_model: str | None) -> str | None:
    """The `arch` that weights in a file were trained with, if the file has this entry."""
    path = find_file(pretrained_model or "", ".npz")
    return stored_arguments(path, ["arch"]).get("arch") if os.path.isfile(path) else None
