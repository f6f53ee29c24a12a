"""VGG: a deep network of 3 × 3 convolutions (Simonyan & Zisserman 2015)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

from renga_cv.links.connection.conv_2d_activ import Conv2DActiv
from renga_cv.links.model.imagenet import VGG_MEAN, trained_on_imagenet
from renga_cv.links.model.pickable_sequential_chain import PickableSequentialChain
from renga_cv.utils.pretrained import PublishedModel, load_pretrained_model, prepare_pretrained_model
from renga_nn.functions.activation import relu, softmax
from renga_nn.functions.noise import dropout
from renga_nn.functions.pooling import max_pooling_2d
from renga_nn.initializers import Normal, Zero
from renga_nn.links.linear import Linear

__all__ = ["VGG16"]


class VGG16(PickableSequentialChain):
    """VGG with 16 layers with weights (Simonyan & Zisserman 2015, table 1, D).

    Layers: ``conv1_1``, ``conv1_2``, ``pool1`` … ``pool5``, ``fc6``, ``fc6_relu``, ``fc6_dropout``, ``fc7``,
    ``fc7_relu``, ``fc7_dropout``, ``fc8``, ``prob``. See `PickableSequentialChain` for how to get their outputs.

    Images are float32 ``(N, 3, H, W)``, RGB, from 0 to 255, minus `mean`; `FeaturePredictor` prepares them. The
    first fully connected layer takes the size of the first input, 224 × 224 if the weights are trained ones.

    Args:
        n_class: Number of classes; 1000 by default.
        pretrained_model: The file of trained weights, or ``"imagenet"`` for those that ChainerCV's authors have
            published (see `renga_cv.utils.pretrained`). If the file has another number of classes than `n_class`,
            ``fc8`` starts with random weights.
        mean: The mean colour, float32 ``(3, 1, 1)``; that of ImageNet by default.
        initialW: Initializer of weights. Default: Normal(0.01).
        initial_bias: Initializer of biases. Default: zero.

    Raises:
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.

    Attributes:
        mean: As given.
    """

    _models: ClassVar[Mapping[str, PublishedModel]] = trained_on_imagenet(
        "vgg16_imagenet_converted_2017_07_18.npz", VGG_MEAN
    )

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        param, path = prepare_pretrained_model(
            {"n_class": n_class, "mean": mean}, pretrained_model, self._models, {"n_class": 1000, "mean": VGG_MEAN}
        )
        super().__init__()
        self.mean = param["mean"]
        drawn = Normal(0.01) if initialW is None else initialW
        # Random values are not needed for weights that a file replaces.
        initial = {"initialW": drawn if path is None else Zero(), "initial_bias": initial_bias}
        channels = 3
        with self.init_scope():
            for stage, (count, filters) in enumerate(((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)), 1):
                for number in range(1, count + 1):
                    setattr(self, f"conv{stage}_{number}", Conv2DActiv(channels, filters, 3, 1, 1, **initial))
                    channels = filters
                setattr(self, f"pool{stage}", _max_pooling)
            self.fc6 = Linear(None, 4096, **initial)
            self.fc6_relu = relu
            self.fc6_dropout = dropout
            self.fc7 = Linear(4096, 4096, **initial)
            self.fc7_relu = relu
            self.fc7_dropout = dropout
            self.fc8 = Linear(4096, param["n_class"], initialW=drawn, initial_bias=initial_bias)
            self.prob = softmax
        load_pretrained_model(self, path, heads=() if n_class is None else ("fc8",))


def _max_pooling(x: Any) -> Any:
    return max_pooling_2d(x, 2)
