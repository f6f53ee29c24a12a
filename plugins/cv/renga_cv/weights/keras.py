"""Keras' ResNet50, in the layout of TensorFlow.js: ``model.json``, and the numbers in files beside it.

It was trained on images with blue first, minus a mean, as in Caffe. Its convolutions have biases, which are
moved into the mean of the next batch normalization: ``(x + b) - mean`` is ``x - (mean - b)``.
"""

from __future__ import annotations

from renga_core.link import Link
from renga_cv.links.model.imagenet import VGG_MEAN
from renga_cv.links.model.resnet.resnet import ResNet
from renga_cv.weights.recipe import Host, Recipe, Source

__all__ = ["KERAS"]


def _filters(array: Host) -> Host:
    """Convert filters from (height, width, in, out)."""
    return array.transpose(3, 2, 0, 1)


def _red_first(array: Host) -> Host:
    return _filters(array)[:, ::-1]


def _convolution(path: str, name: str, bn_name: str, first: bool = False) -> dict[str, Source]:
    """The sources of a convolution and its batch normalization."""
    return {
        f"{path}/conv/W": Source(f"{name}/kernel", _red_first if first else _filters),
        f"{path}/bn/gamma": Source(f"{bn_name}/gamma"),
        f"{path}/bn/beta": Source(f"{bn_name}/beta"),
        f"{path}/bn/avg_mean": Source(f"{bn_name}/moving_mean", _less, (f"{name}/bias",)),
        f"{path}/bn/avg_var": Source(f"{bn_name}/moving_variance"),
    }


def _less(mean: Host, bias: Host) -> Host:
    made: Host = mean - bias
    return made


def _transposed(array: Host) -> Host:
    return array.T


def _sources() -> dict[str, Source]:
    sources = _convolution("conv1", "conv1", "bn_conv1", first=True)
    for stage, count in enumerate(ResNet._blocks[50], 2):
        for number in range(count):
            block = f"res{stage}/{f'b{number}' if number else 'a'}"
            theirs = f"{stage}{'abcdef'[number]}_branch"
            parts = {"conv1": "2a", "conv2": "2b", "conv3": "2c"} | ({} if number else {"residual_conv": "1"})
            for ours, branch in parts.items():
                sources |= _convolution(f"{block}/{ours}", f"res{theirs}{branch}", f"bn{theirs}{branch}")
    return sources | {"fc6/W": Source("fc1000/kernel", _transposed), "fc6/b": Source("fc1000/bias")}


def _resnet50(n_class: int) -> Link:
    return ResNet(50, n_class, initialW=0, fc_kwargs={"initialW": 0}, arch="keras")


KERAS: dict[str, Recipe] = {
    "keras_resnet50": Recipe(
        network=_resnet50,
        sources=_sources(),
        classes="fc1000/bias",
        summary="renga.cv.links.ResNet50(pretrained_model={weights}, arch='keras')",
        model="resnet50",
        arguments={"mean": VGG_MEAN, "arch": "keras"},
    )
}
"""The recipe. The name ``resnet50`` belongs to torchvision's."""
