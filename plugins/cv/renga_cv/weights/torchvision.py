"""The classifiers of torchvision, which are trained on images from 0 to 1, minus a mean, divided by a deviation.

``(x / 255 - mean) / deviation`` is ``(x - 255 mean) / (255 deviation)``. The divisor is moved into the first
convolution. This is exact, because the border of zeros stays zero. The mean stays an argument of the network, because
it is subtracted from the image but not from the border of zeros.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from renga_core.link import Link
from renga_cv.links.model.imagenet import mean_colour
from renga_cv.links.model.mobilenet.mobilenet_v2 import MobileNetV2
from renga_cv.links.model.resnet.resnet import ResNet
from renga_cv.links.model.vgg.vgg16 import VGG16
from renga_cv.weights.recipe import Recipe, Source, batch_normalization, layer

__all__ = ["CLASSIFIERS", "MEAN", "for_bytes", "resnet_body"]

MEAN = mean_colour(255 * 0.485, 255 * 0.456, 255 * 0.406)
_DEVIATION = mean_colour(255 * 0.229, 255 * 0.224, 255 * 0.225)

Host = np.ndarray[Any, Any]


def for_bytes(W: Host) -> Host:
    """Filters of the first convolution for images from 0 to 255, minus `MEAN`."""
    scaled: Host = W / _DEVIATION
    return scaled


def resnet_body(depth: int, path: str = "", name: str = "") -> dict[str, Source]:
    """The sources of a ResNet without its classifier.

    Args:
        depth: 50, 101 or 152.
        path, name: Prefixes of the paths of links and of the names of PyTorch's modules.
    """
    sources = _convolution(f"{path}conv1", f"{name}conv1", f"{name}bn1", change=for_bytes)
    for stage, count in enumerate(ResNet._blocks[depth]):
        for number in range(count):
            block = f"{path}res{stage + 2}/{f'b{number}' if number else 'a'}"
            theirs = f"{name}layer{stage + 1}.{number}"
            for i in (1, 2, 3):
                sources |= _convolution(f"{block}/conv{i}", f"{theirs}.conv{i}", f"{theirs}.bn{i}")
            if not number:
                shortcut = f"{theirs}.downsample"
                sources |= _convolution(f"{block}/residual_conv", f"{shortcut}.0", f"{shortcut}.1")
    return sources


def _convolution(path: str, name: str, bn_name: str, change: Any = None) -> dict[str, Source]:
    """Convert the weights of a convolution and its batch normalization."""
    return layer(f"{path}/conv", name, bias=False, change=change) | batch_normalization(f"{path}/bn", bn_name)


def _resnet(depth: int) -> Recipe:
    return Recipe(
        network=partial(_make_resnet, depth),
        sources=resnet_body(depth) | layer("fc6", "fc"),
        classes="fc.weight",
        summary=f"renga.cv.links.ResNet{depth}(pretrained_model={{weights}}, arch='torch')",
        model=f"resnet{depth}",
        arguments={"mean": MEAN, "arch": "torch"},
    )


# Random values are not needed for weights that are replaced.
def _make_resnet(depth: int, n_class: int) -> Link:
    return ResNet(depth, n_class, initialW=0, fc_kwargs={"initialW": 0}, arch="torch")


def _make_vgg(n_class: int) -> Link:
    return VGG16(n_class, initialW=0)


def _make_mobilenet(n_class: int) -> Link:
    return MobileNetV2(n_class, initialW=0, arch="torch")


def _vgg16() -> Recipe:
    sources: dict[str, Source] = {}
    place = 0
    for stage, count in enumerate((2, 2, 3, 3, 3), 1):
        for number in range(1, count + 1):
            path = f"conv{stage}_{number}/conv"
            sources |= layer(path, f"features.{place}", change=None if place else for_bytes)
            place += 2  # a ReLU follows
        place += 1  # a pooling
    for name, place in zip(("fc6", "fc7", "fc8"), (0, 3, 6), strict=True):
        sources |= layer(name, f"classifier.{place}")
    return Recipe(
        _make_vgg,
        sources,
        "classifier.6.weight",
        "renga.cv.links.VGG16(pretrained_model={weights})",
        "vgg16",
        {"mean": MEAN},
    )


def _mobilenet_v2() -> Recipe:
    sources = dict(_mobilenet_body())
    sources |= layer("logits_conv/conv", "classifier.1", change=_as_filters)
    return Recipe(
        _make_mobilenet,
        sources,
        "classifier.1.weight",
        "renga.cv.links.MobileNetV2(pretrained_model={weights}, arch='torch')",
        "mobilenet_v2",
        {"mean": MEAN, "arch": "torch"},
    )


def _mobilenet_body() -> Iterator[tuple[str, Source]]:
    def convolution(path: str, name: str, bn_name: str, change: Any = None) -> Iterator[tuple[str, Source]]:
        found = layer(f"{path}/conv/conv", name, bias=False, change=change)
        yield from (found | batch_normalization(f"{path}/bn", bn_name)).items()

    yield from convolution("conv", "features.0.0", "features.0.1", for_bytes)
    for number in range(17):
        block = f"expanded_conv_{number}" if number else "expanded_conv"
        theirs = f"features.{number + 1}.conv"
        parts = ("expand", "depthwise") if number else ("depthwise",)
        for place, part in enumerate(parts):
            yield from convolution(f"{block}/{part}", f"{theirs}.{place}.0", f"{theirs}.{place}.1")
        yield from convolution(f"{block}/project", f"{theirs}.{len(parts)}", f"{theirs}.{len(parts) + 1}")
    yield from convolution("conv1", "features.18.0", "features.18.1")


def _as_filters(W: Host) -> Host:
    """Convert weights of a fully connected layer to those of a 1 × 1 convolution."""
    return W[:, :, None, None]


CLASSIFIERS: dict[str, Recipe] = {
    "mobilenet_v2": _mobilenet_v2(),
    "resnet50": _resnet(50),
    "resnet101": _resnet(101),
    "resnet152": _resnet(152),
    "vgg16": _vgg16(),
}
"""The recipes, under torchvision's names."""
