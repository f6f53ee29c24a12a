"""Common base of ResNet, SE-ResNet and SE-ResNeXt."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.imagenet import RESNET_MEAN
from renga_cv.links.model.pickable_sequential_chain import PickableSequentialChain
from renga_cv.links.model.resnet.res_block import ResBlock
from renga_cv.utils.pretrained import PublishedModel, load_pretrained_model, prepare_pretrained_model
from renga_nn.functions.activation import softmax
from renga_nn.functions.pooling import global_average_pooling_2d, max_pooling_2d
from renga_nn.initializers import HeNormal, Normal, Zero
from renga_nn.links.linear import Linear

__all__ = ["ResidualClassifier", "caffe_pooling", "torch_pooling"]


def caffe_pooling(x: Any) -> Any:
    """Max pooling of 3 × 3 pixels with stride 2, starting at the first pixel; the last windows may be cut off."""
    return max_pooling_2d(x, 3, 2)


def torch_pooling(x: Any) -> Any:
    """Max pooling of 3 × 3 pixels with stride 2, the first window centred at the first pixel."""
    return max_pooling_2d(x, 3, 2, pad=1, cover_all=False)


class ResidualClassifier(PickableSequentialChain):
    """A convolution, four stages of bottlenecks, the mean over the image and a fully connected layer.

    Args:
        n_layer: Number of layers: 50, 101 or 152.
        n_class, pretrained_model, mean, initialW, fc_kwargs: See `ResNet`.
        models: The table of published weights.
        width: Channels between the convolutions of a bottleneck of the first stage; they double at each next stage.
        conv1_nobias: The first convolution has no bias.
        block_kwargs: Further arguments of `ResBlock`.
        pool1: The pooling after the first convolution; Caffe's by default.
        bn_kwargs: Arguments of all batch normalizations.
        arguments: Other arguments that a file of weights may contain.

    Raises:
        ValueError: The number of layers is unknown; see also `ResNet`.
    """

    _blocks: ClassVar[Mapping[int, tuple[int, int, int, int]]] = {
        50: (3, 4, 6, 3),
        101: (3, 4, 23, 3),
        152: (3, 8, 36, 3),
    }

    def __init__(
        self,
        n_layer: int,
        n_class: int | None,
        pretrained_model: str | os.PathLike[str] | None,
        mean: Any,
        initialW: Any,
        fc_kwargs: Mapping[str, Any],
        models: Mapping[str, PublishedModel],
        width: int,
        conv1_nobias: bool,
        block_kwargs: Mapping[str, Any],
        pool1: Callable[[Any], Any] = caffe_pooling,
        bn_kwargs: Mapping[str, Any] = MappingProxyType({}),
        arguments: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        if n_layer not in self._blocks:
            depths = ", ".join(map(str, self._blocks))
            raise ValueError(f"{type(self).__name__}: n_layer is {n_layer!r}; it can be {depths}")
        param, path = prepare_pretrained_model(
            {"n_class": n_class, "mean": mean, **arguments},
            pretrained_model,
            models,
            {"n_class": 1000, "mean": RESNET_MEAN},
        )
        super().__init__()
        self.mean = param["mean"]
        if path is not None:
            initialW = Zero()  # random values are not needed for weights that a file replaces
        elif initialW is None:
            initialW = HeNormal(fan_option="fan_out")
        with self.init_scope():
            self.conv1 = Conv2DBNActiv(3, 64, 7, 2, 3, nobias=conv1_nobias, initialW=initialW, bn_kwargs=bn_kwargs)
            self.pool1 = pool1
            channels = 64
            for stage, n_block in enumerate(self._blocks[n_layer]):
                out = 256 << stage
                sizes = (n_block, channels, width << stage, out, 2 if stage else 1)
                block = ResBlock(*sizes, initialW=initialW, bn_kwargs=bn_kwargs, **block_kwargs)
                setattr(self, f"res{stage + 2}", block)
                channels = out
            self.pool5 = global_average_pooling_2d
            self.fc6 = Linear(channels, param["n_class"], **{"initialW": Normal(0.01), **fc_kwargs})
            self.prob = softmax
        load_pretrained_model(self, path, heads=() if n_class is None else ("fc6",))
