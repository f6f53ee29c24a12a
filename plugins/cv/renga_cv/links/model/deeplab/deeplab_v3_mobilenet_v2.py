"""DeepLab v3 on MobileNetV2: a small network that gives each pixel a class."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.inference import inference
from renga_cv.links.model.mobilenet.expanded_conv_2d import ExpandedConv2D, expand_sixfold, round_channels
from renga_cv.links.model.mobilenet.mobilenet_v2 import BLOCKS
from renga_cv.links.model.mobilenet.tf_conv_2d_bn_activ import TFConv2DBNActiv
from renga_cv.links.model.segmentation import Host, labels_of, predict_by_shape
from renga_cv.transforms.image.resize import resize
from renga_cv.utils.pretrained import load_pretrained_model, prepare_pretrained_model
from renga_nn.functions.activation import relu6
from renga_nn.functions.array import concat
from renga_nn.functions.array.resize_images import resize_images
from renga_nn.functions.pooling import average_pooling_2d
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["BN_EPS", "N_BLOCK", "DeepLabV3MobileNetV2", "DilatedMobileNetV2"]

BN_EPS = 1e-3
N_BLOCK = len(BLOCKS)
_OUTPUT_STRIDE = 8
_BN: Mapping[str, Any] = {"decay": 0.9997, "eps": BN_EPS}


class DilatedMobileNetV2(Chain):
    """MobileNetV2 without its last layers; the output has an eighth of the resolution.

    Later layers use dilated filters instead of strides (Sandler et al. 2018, section 6.3).

    Args:
        depth_multiplier: Factor on the numbers of channels.

    Attributes:
        conv, expanded_conv, expanded_conv_1, ... expanded_conv_16: The layers; see `MobileNetV2`.
        out_channels: Channels of the result.
    """

    def __init__(self, depth_multiplier: float = 1.0) -> None:
        super().__init__()
        divisor = 8 if depth_multiplier == 1 else 1
        channels = round_channels(32 * depth_multiplier, divisor)
        with self.init_scope():
            self.conv = TFConv2DBNActiv(3, channels, 3, 2, activ=relu6, bn_kwargs=_BN)
            reduced, rate = 2, 1
            for number, (filters, step) in enumerate(BLOCKS):
                stride = step if reduced < _OUTPUT_STRIDE else 1
                out = round_channels(filters * depth_multiplier, divisor)
                block = ExpandedConv2D(
                    channels,
                    out,
                    expand_sixfold if number else channels,
                    depthwise_stride=stride,
                    depthwise_dilate=rate,
                    bn_kwargs=_BN,
                )
                setattr(self, f"expanded_conv_{number}" if number else "expanded_conv", block)
                reduced, rate = reduced * stride, rate * step // stride
                channels = out
        self.out_channels = channels

    def forward(self, x: Any) -> Variable:
        """Features ``(N, out_channels, ⌈H / 8⌉, ⌈W / 8⌉)`` of images ``(N, 3, H, W)``, from -1 to 1."""
        h: Variable = self.conv(x)
        for number in range(N_BLOCK):
            h = self[f"expanded_conv_{number}" if number else "expanded_conv"](h)
        return h


class DeepLabV3MobileNetV2(Chain):
    """DeepLab v3 on MobileNetV2, for images of 257 pixels (Sandler et al. 2018, section 6.3; Chen et al. 2017).

    The features, and their mean over the image, each go through a 1 × 1 convolution; a third one joins them.

    Args:
        n_class: Number of classes.
        pretrained_model: The file of trained weights, or None.
        depth_multiplier: Factor on the numbers of channels; None: the factor of the weights, or 1.

    Raises:
        ValueError, FileNotFoundError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.

    Attributes:
        n_class: As given.
        mean: The colour that is 0 after preparation, ``(3, 1, 1)``.
        extractor: The `DilatedMobileNetV2`.
        image_pooling, aspp0, concat_projection, logits: The convolutions after it.
    """

    mean: ClassVar[Host] = np.full((3, 1, 1), 127.5, np.float32)
    insize = 257

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        depth_multiplier: float | None = None,
    ) -> None:
        param, path = prepare_pretrained_model(
            {"n_class": n_class, "depth_multiplier": depth_multiplier}, pretrained_model, {}, {"depth_multiplier": 1.0}
        )
        super().__init__()
        self.n_class = int(param["n_class"])
        with self.init_scope():
            self.extractor = DilatedMobileNetV2(float(param["depth_multiplier"]))
            channels = self.extractor.out_channels
            self.image_pooling = Conv2DBNActiv(channels, 256, 1, bn_kwargs=_BN)
            self.aspp0 = Conv2DBNActiv(channels, 256, 1, bn_kwargs=_BN)
            self.concat_projection = Conv2DBNActiv(512, 256, 1, bn_kwargs=_BN)
            self.logits = Convolution2D(256, self.n_class, 1)
        load_pretrained_model(self, path, heads=() if n_class is None else ("logits",))

    def forward(self, x: Any) -> Variable:
        """Scores of classes ``(N, n_class, ⌈H / 8⌉, ⌈W / 8⌉)``.

        Args:
            x: Images ``(N, 3, H, W)``, from -1 to 1.
        """
        h = self.extractor(x)
        size = h.shape[2:]
        whole = resize_images(self.image_pooling(average_pooling_2d(h, size)), size)
        y: Variable = self.logits(self.concat_projection(concat((whole, self.aspp0(h)), axis=1)))
        return y

    def predict(self, imgs: Sequence[Host]) -> list[Host]:
        """Predict the class of each pixel. Images are resized to 257 × 257 pixels, and the scores back.

        Args:
            imgs: Images ``(3, H, W)``, RGB, float32 from 0 to 255, of any sizes.

        Returns:
            For each image its labels, int32 ``(H, W)``.
        """
        with inference():
            return predict_by_shape(imgs, lambda images: labels_of(self._scores(images)))

    def _scores(self, images: Host) -> Array:
        edges = (self.insize, self.insize)
        x = np.stack([resize(image, edges) for image in images]) / np.float32(127.5) - 1
        scores = self.forward(self.device.send(x.astype(np.float32)))
        return resize_images(scores, images.shape[2:]).array
