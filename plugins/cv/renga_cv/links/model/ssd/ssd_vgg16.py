"""SSD on VGG16, for images of 300 and of 512 pixels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.model.ssd.multibox import Multibox
from renga_cv.links.model.ssd.normalize import Normalize
from renga_cv.links.model.ssd.ssd import SSD
from renga_cv.utils.pretrained import PublishedModel, load_pretrained_model, prepare_pretrained_model, published
from renga_nn.functions.activation import relu
from renga_nn.functions.pooling import max_pooling_2d
from renga_nn.initializers import LeCunUniform
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["SSD300", "SSD512", "VGG16", "VGG16Extractor300", "VGG16Extractor512"]

_MEAN = np.array((123, 117, 104), np.float32).reshape(-1, 1, 1)
"""The mean colour of ImageNet, rounded: RGB."""

_FEW, _MORE = (2,), (2, 3)
"""Aspect ratios of a level."""


class VGG16(Chain):
    """The layers of VGG16 up to conv7, which was fc7, as SSD changes them (Liu et al. 2016, section 3).

    The fully connected layers are convolutions, the first of them dilated; pool5 keeps the size.

    Attributes:
        conv1_1 … conv7: The convolutions.
        norm4: Normalization of the output of conv4_3.
    """

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1_1 = Convolution2D(3, 64, 3, pad=1)
            self.conv1_2 = Convolution2D(64, 64, 3, pad=1)

            self.conv2_1 = Convolution2D(64, 128, 3, pad=1)
            self.conv2_2 = Convolution2D(128, 128, 3, pad=1)

            self.conv3_1 = Convolution2D(128, 256, 3, pad=1)
            self.conv3_2 = Convolution2D(256, 256, 3, pad=1)
            self.conv3_3 = Convolution2D(256, 256, 3, pad=1)

            self.conv4_1 = Convolution2D(256, 512, 3, pad=1)
            self.conv4_2 = Convolution2D(512, 512, 3, pad=1)
            self.conv4_3 = Convolution2D(512, 512, 3, pad=1)
            self.norm4 = Normalize(512, initial=20)

            self.conv5_1 = Convolution2D(512, 512, 3, pad=1)
            self.conv5_2 = Convolution2D(512, 512, 3, pad=1)
            self.conv5_3 = Convolution2D(512, 512, 3, pad=1)

            self.conv6 = Convolution2D(512, 1024, 3, pad=6, dilate=6)
            self.conv7 = Convolution2D(1024, 1024, 1)

    def forward(self, x: Any) -> list[Variable]:
        """Feature maps of conv4_3, normalized, ``(N, 512, H / 8, W / 8)``, and of conv7, ``(N, 1024, H / 16, W / 16)``.

        Args:
            x: Images ``(N, 3, H, W)``.
        """
        h: Any = relu(self.conv1_2(relu(self.conv1_1(x))))
        h = max_pooling_2d(h, 2)
        h = relu(self.conv2_2(relu(self.conv2_1(h))))
        h = max_pooling_2d(h, 2)
        h = relu(self.conv3_3(relu(self.conv3_2(relu(self.conv3_1(h))))))
        h = max_pooling_2d(h, 2)
        h = relu(self.conv4_3(relu(self.conv4_2(relu(self.conv4_1(h))))))
        conv4 = self.norm4(h)
        h = max_pooling_2d(h, 2)
        h = relu(self.conv5_3(relu(self.conv5_2(relu(self.conv5_1(h))))))
        h = max_pooling_2d(h, 3, stride=1, pad=1)
        return [conv4, relu(self.conv7(relu(self.conv6(h))))]


def _extra(in_channels: int, out_channels: int, ksize: int, **kwargs: Any) -> Convolution2D:
    """A convolution that VGG16 does not have; its weights start at random."""
    return Convolution2D(in_channels, out_channels, ksize, initialW=LeCunUniform(), **kwargs)


class VGG16Extractor300(VGG16):
    """Feature maps of VGG16 and smaller ones, for images of 300 pixels.

    Attributes:
        insize: Edge of the input, in pixels.
        grids: Edges of the six feature maps.
    """

    insize = 300
    grids = (38, 19, 10, 5, 3, 1)

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv8_1 = _extra(1024, 256, 1)
            self.conv8_2 = _extra(256, 512, 3, stride=2, pad=1)

            self.conv9_1 = _extra(512, 128, 1)
            self.conv9_2 = _extra(128, 256, 3, stride=2, pad=1)

            self.conv10_1 = _extra(256, 128, 1)
            self.conv10_2 = _extra(128, 256, 3)

            self.conv11_1 = _extra(256, 128, 1)
            self.conv11_2 = _extra(128, 256, 3)

    def forward(self, x: Any) -> list[Variable]:
        """Feature maps of images ``(N, 3, 300, 300)``, from the largest on: of conv4_3, conv7, conv8_2 to conv11_2."""
        maps = super().forward(x)
        for i in range(8, 12):
            maps.append(relu(self[f"conv{i}_2"](relu(self[f"conv{i}_1"](maps[-1])))))
        return maps


class VGG16Extractor512(VGG16):
    """Feature maps of VGG16 and smaller ones, for images of 512 pixels.

    Attributes:
        insize: Edge of the input, in pixels.
        grids: Edges of the seven feature maps.
    """

    insize = 512
    grids = (64, 32, 16, 8, 4, 2, 1)

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv8_1 = _extra(1024, 256, 1)
            self.conv8_2 = _extra(256, 512, 3, stride=2, pad=1)

            self.conv9_1 = _extra(512, 128, 1)
            self.conv9_2 = _extra(128, 256, 3, stride=2, pad=1)

            self.conv10_1 = _extra(256, 128, 1)
            self.conv10_2 = _extra(128, 256, 3, stride=2, pad=1)

            self.conv11_1 = _extra(256, 128, 1)
            self.conv11_2 = _extra(128, 256, 3, stride=2, pad=1)

            self.conv12_1 = _extra(256, 128, 1)
            self.conv12_2 = _extra(128, 256, 4, pad=1)

    def forward(self, x: Any) -> list[Variable]:
        """Feature maps of images ``(N, 3, 512, 512)``, from the largest on: of conv4_3, conv7, conv8_2 to conv12_2."""
        maps = super().forward(x)
        for i in range(8, 13):
            maps.append(relu(self[f"conv{i}_2"](relu(self[f"conv{i}_1"](maps[-1])))))
        return maps


class SSD300(SSD):
    """SSD for images of 300 pixels, with 8732 default boxes (Liu et al. 2016).

    Args:
        n_fg_class: Number of classes, without the background; None to take it from the weights.
        pretrained_model: ``"voc0712"``: weights for the 20 classes of PASCAL VOC. ``"imagenet"``: weights of VGG16, to
            train from. A path of such a file, or None.

    Raises:
        ValueError: `n_fg_class` is not that of the named weights, or nothing sets it.
        FileNotFoundError: The name is unknown, and no such file exists.

    Attributes:
        extractor: `VGG16Extractor300`.
        multibox, coder, mean, nms_thresh, score_thresh: See `SSD`.
    """

    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "voc0712": published("ssd300_voc0712_converted_2017_06_06.npz", cv2=True, n_fg_class=20),
        "imagenet": published("ssd_vgg16_imagenet_converted_2017_06_09.npz", cv2=True),
    }

    def __init__(self, n_fg_class: int | None = None, pretrained_model: str | os.PathLike[str] | None = None) -> None:
        param, path = prepare_pretrained_model({"n_fg_class": n_fg_class}, pretrained_model, self._models)
        super().__init__(
            extractor=VGG16Extractor300(),
            multibox=Multibox(
                n_class=param["n_fg_class"] + 1,
                aspect_ratios=(_FEW, _MORE, _MORE, _MORE, _FEW, _FEW),
                in_channels=(512, 1024, 512, 256, 256, 256),
            ),
            steps=(8, 16, 32, 64, 100, 300),
            sizes=(30, 60, 111, 162, 213, 264, 315),
            mean=_MEAN,
        )
        load_pretrained_model(self, path, heads=("multibox/conf",), strict=False)


class SSD512(SSD):
    """SSD for images of 512 pixels, with 24564 default boxes (Liu et al. 2016).

    Args:
        n_fg_class: Number of classes, without the background; None to take it from the weights.
        pretrained_model: ``"voc0712"``: weights for the 20 classes of PASCAL VOC. ``"imagenet"``: weights of VGG16, to
            train from. A path of such a file, or None.

    Raises:
        ValueError: `n_fg_class` is not that of the named weights, or nothing sets it.
        FileNotFoundError: The name is unknown, and no such file exists.

    Attributes:
        extractor: `VGG16Extractor512`.
        multibox, coder, mean, nms_thresh, score_thresh: See `SSD`.
    """

    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "voc0712": published("ssd512_voc0712_converted_2017_06_06.npz", cv2=True, n_fg_class=20),
        "imagenet": published("ssd_vgg16_imagenet_converted_2017_06_09.npz", cv2=True),
    }

    def __init__(self, n_fg_class: int | None = None, pretrained_model: str | os.PathLike[str] | None = None) -> None:
        param, path = prepare_pretrained_model({"n_fg_class": n_fg_class}, pretrained_model, self._models)
        super().__init__(
            extractor=VGG16Extractor512(),
            multibox=Multibox(
                n_class=param["n_fg_class"] + 1,
                aspect_ratios=(_FEW, _MORE, _MORE, _MORE, _MORE, _FEW, _FEW),
                in_channels=(512, 1024, 512, 256, 256, 256, 256),
            ),
            steps=(8, 16, 32, 64, 128, 256, 512),
            sizes=(35.84, 76.8, 153.6, 230.4, 307.2, 384.0, 460.8, 537.6),
            mean=_MEAN,
        )
        load_pretrained_model(self, path, heads=("multibox/conf",), strict=False)
