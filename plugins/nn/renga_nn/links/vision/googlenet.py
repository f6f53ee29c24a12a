"""GoogLeNet, the first network of inception layers (Szegedy et al. 2015)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from renga_nn.functions.activation import relu, softmax
from renga_nn.functions.noise import dropout
from renga_nn.functions.normalization import local_response_normalization
from renga_nn.functions.pooling import average_pooling_2d, max_pooling_2d
from renga_nn.initializers import LeCunUniform, Zero
from renga_nn.links.caffe import CaffeFunction
from renga_nn.links.convolution_2d import Convolution2D
from renga_nn.links.inception import Inception
from renga_nn.links.linear import Linear
from renga_nn.links.vision.images import Host, as_network_input
from renga_nn.links.vision.pretrained import PretrainedClassifier

__all__ = ["GoogLeNet", "prepare"]

MEAN = (104.0, 117.0, 123.0)


def prepare(image: Any, size: tuple[int, int] | None = (224, 224)) -> Host:
    """Prepare an image for GoogLeNet; see `PretrainedClassifier.prepare`."""
    return as_network_input(image, size, MEAN)


# Channels of the input, and the sizes of `Inception`.
_INCEPTIONS = {
    "3a": (192, 64, 96, 128, 16, 32, 32),
    "3b": (256, 128, 128, 192, 32, 96, 64),
    "4a": (480, 192, 96, 208, 16, 48, 64),
    "4b": (512, 160, 112, 224, 24, 64, 64),
    "4c": (512, 128, 128, 256, 24, 64, 64),
    "4d": (512, 112, 144, 288, 32, 64, 64),
    "4e": (528, 256, 160, 320, 32, 128, 128),
    "5a": (832, 256, 160, 320, 32, 128, 128),
    "5b": (832, 384, 192, 384, 48, 128, 128),
}

_CAFFE = {
    "conv1": "conv1/7x7_s2",
    "conv2_reduce": "conv2/3x3_reduce",
    "conv2": "conv2/3x3",
    "loss1_conv": "loss1/conv",
    "loss1_fc1": "loss1/fc",
    "loss1_fc2": "loss1/classifier",
    "loss2_conv": "loss2/conv",
    "loss2_fc1": "loss2/fc",
    "loss2_fc2": "loss2/classifier",
    "loss3_fc": "loss3/classifier",
}

_CAFFE_INCEPTION = {
    "conv1": "1x1",
    "proj3": "3x3_reduce",
    "conv3": "3x3",
    "proj5": "5x5_reduce",
    "conv5": "5x5",
    "projp": "pool_proj",
}


class GoogLeNet(PretrainedClassifier):
    """Nine inception layers, and two auxiliary classifiers for training; for images of 224 × 224.

    Args:
        pretrained_model: A file with weights; ``"auto"`` for ``bvlc_googlenet.npz`` in the folder ``models`` of
            ``dataset.root``; None for random weights. See `PretrainedClassifier.load`.

    >>> model = GoogLeNet(pretrained_model=None)
    >>> model.available_layers[:3]
    ['conv1', 'pool1', 'conv2_reduce']
    """

    mean = MEAN
    file_name = "bvlc_googlenet.npz"
    feature = "pool5"
    branches: ClassVar[Mapping[str, str]] = {"loss1_fc2": "inception_4a", "loss2_fc2": "inception_4d"}

    def __init__(self, pretrained_model: str | os.PathLike[str] | None = "auto") -> None:
        super().__init__()
        # Weights that a file will replace need no random numbers.
        W = LeCunUniform(scale=1.0) if pretrained_model is None else Zero()
        with self.init_scope():
            self.conv1 = Convolution2D(3, 64, 7, 2, 3, initialW=W)
            self.conv2_reduce = Convolution2D(64, 64, 1, initialW=W)
            self.conv2 = Convolution2D(64, 192, 3, 1, 1, initialW=W)
            for name, sizes in _INCEPTIONS.items():
                setattr(self, f"inc{name}", Inception(*sizes, conv_init=W))
            self.loss3_fc = Linear(1024, 1000, initialW=W)
            self.loss1_conv = Convolution2D(512, 128, 1, initialW=W)
            self.loss1_fc1 = Linear(2048, 1024, initialW=W)
            self.loss1_fc2 = Linear(1024, 1000, initialW=W)
            self.loss2_conv = Convolution2D(528, 128, 1, initialW=W)
            self.loss2_fc1 = Linear(2048, 1024, initialW=W)
            self.loss2_fc2 = Linear(1024, 1000, initialW=W)
        self.load(pretrained_model)

    @property
    def functions(self) -> dict[str, list[Callable[[Any], Any]]]:
        """See `PretrainedClassifier`; the auxiliary classifiers come last."""
        made: dict[str, list[Callable[[Any], Any]]] = {
            "conv1": [self.conv1, relu],
            "pool1": [_pool, _normalize],
            "conv2_reduce": [self.conv2_reduce, relu],
            "conv2": [self.conv2, relu, _normalize],
            "pool2": [_pool],
        }
        for name in _INCEPTIONS:
            made[f"inception_{name}"] = [self[f"inc{name}"]]
            if name in ("3b", "4e"):
                made[f"pool{name[0]}"] = [_pool]
        made["pool5"] = [_average_7]
        made["loss3_fc"] = [_dropout, self.loss3_fc]
        made["prob"] = [softmax]
        made["loss1_fc2"] = [_average_5, self.loss1_conv, relu, self.loss1_fc1, relu, self.loss1_fc2]
        made["loss2_fc2"] = [_average_5, self.loss2_conv, relu, self.loss2_fc1, relu, self.loss2_fc2]
        return made

    def copy_from_caffe(self, source: CaffeFunction) -> None:
        """Convert the names of BVLC's reference network."""
        for name, theirs in _CAFFE.items():
            self[name].copyparams(source[theirs])
        for number in _INCEPTIONS:
            inception: Any = self[f"inc{number}"]
            for name, theirs in _CAFFE_INCEPTION.items():
                inception[name].copyparams(source[f"inception_{number}/{theirs}"])


def _pool(x: Any) -> Any:
    return max_pooling_2d(x, 3, 2)


def _normalize(x: Any) -> Any:
    return local_response_normalization(x, n=5, k=1, alpha=1e-4 / 5)


def _average_5(x: Any) -> Any:
    return average_pooling_2d(x, 5, 3)


def _average_7(x: Any) -> Any:
    return average_pooling_2d(x, 7, 1)


def _dropout(x: Any) -> Any:
    return dropout(x, 0.4)
