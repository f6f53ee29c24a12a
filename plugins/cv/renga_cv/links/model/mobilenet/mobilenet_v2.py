"""MobileNetV2 (Sandler et al. 2018)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

from renga_core.graph import Variable
from renga_cv.links.model.imagenet import VGG_MEAN, mean_colour, trained_on_imagenet
from renga_cv.links.model.mobilenet.expanded_conv_2d import ExpandedConv2D, expand_sixfold, round_channels
from renga_cv.links.model.mobilenet.tf_conv_2d_bn_activ import TFConv2DBNActiv
from renga_cv.links.model.mobilenet.tf_convolution_2d import TFConvolution2D
from renga_cv.links.model.pickable_sequential_chain import PickableSequentialChain
from renga_cv.utils.pretrained import PublishedModel, load_pretrained_model, prepare_pretrained_model
from renga_nn.functions.activation import relu6, softmax
from renga_nn.functions.array import reshape
from renga_nn.functions.pooling import global_average_pooling_2d
from renga_nn.initializers import HeNormal, Normal, Zero

__all__ = ["BLOCKS", "MobileNetV2"]

_MEAN = mean_colour(128, 128, 128)
BLOCKS = [
    *[(16, 1)],
    *[(24, 2), (24, 1)],
    *[(32, 2), (32, 1), (32, 1)],
    *[(64, 2), (64, 1), (64, 1), (64, 1)],
    *[(96, 1), (96, 1), (96, 1)],
    *[(160, 2), (160, 1), (160, 1)],
    *[(320, 1)],
]
"""Table 2 of the paper, channels and stride of each block."""

_BN_KWARGS: Mapping[str, Mapping[str, Any]] = {
    "tf": {"decay": 0.999, "eps": 1e-3},
    "torch": {"decay": 0.9, "eps": 1e-5},
}


class MobileNetV2(PickableSequentialChain):
    """A small network for devices with little memory (Sandler et al. 2018, table 2).

    Layers: ``conv``, ``expanded_conv``, ``expanded_conv_1`` … ``expanded_conv_16``, ``conv1``, ``global_average_pool``,
    ``logits_conv``, ``squeeze``, ``softmax``. See `PickableSequentialChain` for how to get their outputs.

    Images are float32 ``(N, 3, H, W)``, RGB, from 0 to 255, minus `mean`; `FeaturePredictor` prepares them.

    Args:
        n_class: Number of classes; 1000 by default. TensorFlow's weights have 1001: the first is the background.
        pretrained_model: The file of trained weights, or ``"imagenet"`` for those that ChainerCV's authors have
            published for a `depth_multiplier` of 1 and 1.4 (see `renga_cv.utils.pretrained`). If the file has another
            number of classes than `n_class`, ``logits_conv`` starts with random weights.
        mean: The mean colour, float32 ``(3, 1, 1)``; by default 128 with published weights, else that of ImageNet.
        initialW: Initializer of filters. Default: HeNormal, and Normal(0.01) for the classifier.
        initial_bias: Initializer of the classifier's bias. Default: zero.
        arch: ``"tf"``, or ``"torch"`` for torchvision's network: borders are equal on all sides for any size of images,
            and batch normalization has other constants.
        depth_multiplier: Factor on the numbers of channels, which are rounded to multiples of 8. A factor below 1 does
            not reduce the last convolution (section 6.1).
        bn_kwargs: Of all batch normalizations; by default ``decay=0.999, eps=1e-3``, and ``decay=0.9, eps=1e-5`` for
            ``arch="torch"``.
        thousand_categories_mode: Remove the first of 1001 classes after the weights are loaded.

    Raises:
        ValueError: `arch` is unknown.
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.

    Attributes:
        mean: As given.
        n_class: Number of classes.
    """

    _models: ClassVar[Mapping[float, Mapping[str, PublishedModel]]] = {
        1.0: trained_on_imagenet("mobilenet_v2_depth_multiplier_1.0_imagenet_converted_2019_05_13.npz", _MEAN, 1001),
        1.4: trained_on_imagenet("mobilenet_v2_depth_multiplier_1.4_imagenet_converted_2019_05_13.npz", _MEAN, 1001),
    }

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        mean: Any = None,
        initialW: Any = None,
        initial_bias: Any = None,
        arch: str = "tf",
        depth_multiplier: float = 1.0,
        bn_kwargs: Mapping[str, Any] | None = None,
        thousand_categories_mode: bool = False,
    ) -> None:
        if arch not in _BN_KWARGS:
            raise ValueError(f"MobileNetV2: arch is {arch!r}; it can be 'tf' or 'torch'")
        models = self._models.get(depth_multiplier, {}) if arch == "tf" else {}
        param, path = prepare_pretrained_model(
            {"n_class": n_class, "mean": mean, "arch": arch},
            pretrained_model,
            models,
            {"n_class": 1000, "mean": VGG_MEAN},
        )
        super().__init__()
        self.mean = param["mean"]
        self.n_class = param["n_class"]
        border3: str | int = "SAME" if arch == "tf" else 1
        rest: dict[str, Any] = {
            # Random values are not needed for weights that a file replaces.
            "initialW": (HeNormal() if initialW is None else initialW) if path is None else Zero(),
            "bn_kwargs": _BN_KWARGS[arch] if bn_kwargs is None else bn_kwargs,
        }
        channels = round_channels(32 * depth_multiplier)
        with self.init_scope():
            self.conv = TFConv2DBNActiv(3, channels, 3, 2, border3, activ=relu6, **rest)
            for number, (filters, step) in enumerate(BLOCKS):
                name = f"expanded_conv_{number}" if number else "expanded_conv"
                expansion = expand_sixfold if number else channels
                out = round_channels(filters * depth_multiplier)
                block = ExpandedConv2D(channels, out, expansion, depthwise_stride=step, depthwise_pad=border3, **rest)
                setattr(self, name, block)
                channels = out
            last = round_channels(1280 * max(1.0, depth_multiplier))
            self.conv1 = TFConv2DBNActiv(channels, last, 1, activ=relu6, **rest)
            self.global_average_pool = _global_average_pooling
            self.logits_conv = TFConvolution2D(
                last,
                self.n_class,
                1,
                initialW=Normal(0.01) if initialW is None else initialW,
                initial_bias=initial_bias,
            )
            self.squeeze = _squeeze
            self.softmax = softmax
        load_pretrained_model(self, path, heads=() if n_class is None else ("logits_conv",))
        if thousand_categories_mode and self.n_class == 1001:
            self._drop_background()

    def _drop_background(self) -> None:
        conv = self.logits_conv.conv
        for param in conv.params():
            param.array = param.array[1:].copy()
        self.n_class = conv.out_channels = 1000


def _global_average_pooling(x: Any) -> Variable:
    """The mean over each map, as a map of one pixel."""
    return reshape(global_average_pooling_2d(x), (*x.shape[:2], 1, 1))


def _squeeze(x: Any) -> Variable:
    return reshape(x, x.shape[:2])
