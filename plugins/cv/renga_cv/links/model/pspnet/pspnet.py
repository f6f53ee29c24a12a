"""PSPNet (Zhao et al. 2017)."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.imagenet import VGG_MEAN
from renga_cv.links.model.inference import inference
from renga_cv.links.model.pspnet.convolution_crop import convolution_crop
from renga_cv.links.model.pspnet.dilated_resnet import DilatedResNet
from renga_cv.links.model.pspnet.pyramid_pooling_module import PyramidPoolingModule
from renga_cv.links.model.segmentation import Host, labels_of, predict_by_shape
from renga_cv.transforms.image.resize import resize, resize_contain
from renga_cv.utils.pretrained import (
    PublishedModel,
    load_pretrained_model,
    prepare_pretrained_model,
    published,
)
from renga_nn.functions.activation import softmax
from renga_nn.functions.array.concat import concat
from renga_nn.functions.array.flip import flip
from renga_nn.functions.array.resize_images import resize_images
from renga_nn.functions.noise import dropout
from renga_nn.functions.window import per_axis
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["PSPNet", "PSPNetResNet50", "PSPNetResNet101"]


PYRAMIDS = (6, 3, 2, 1)


class PSPNet(Chain):
    """A network that gives each pixel a class. `PSPNetResNet50` and `PSPNetResNet101` choose the extractor.

    A residual network with dilated filters, the means of its features over grids of 6, 3, 2 and 1 cells, and two
    convolutions (Zhao et al. 2017, figure 3).

    Args:
        n_class: Number of classes.
        pretrained_model: The file of trained weights, or the name of weights that ChainerCV's authors have published
            (see `renga_cv.utils.pretrained`): ``"cityscapes"``, ``"ade20k"``, or ``"imagenet"`` for the extractor
            only; None for none.
        input_size: Height and width of the network's input (one number for both). Default: 713 × 713.
        initialW: Initializer of filters.

    Raises:
        TypeError, ValueError: `input_size` is not one or two integers of at least 48, the minimum for six cells.
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.

    Attributes:
        extractor, ppm, head_conv1, head_conv2: The parts, in order.
        input_size: Height and width.
        mean: The mean colour, subtracted from images, ``(3, 1, 1)``.
        scales: Factors by which `predict` resizes images; it averages the results. None, the default, is ``(1,)``.
    """

    _n_layer: ClassVar[int]
    _models: ClassVar[Mapping[str, PublishedModel]]

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        input_size: int | Sequence[int] | None = None,
        initialW: Any = None,
    ) -> None:
        of_extractor = "imagenet" if pretrained_model == "imagenet" else None
        param, path = prepare_pretrained_model(
            {"n_class": n_class, "input_size": input_size},
            None if of_extractor else pretrained_model,
            self._models,
            {"input_size": (713, 713)},
        )
        super().__init__()
        self.scales: Sequence[float] | None = None
        self.mean = VGG_MEAN
        height, width = per_axis(type(self).__name__, "input_size", param["input_size"], 2, 8 * max(PYRAMIDS))
        self.input_size = height, width
        with self.init_scope():
            self.extractor = DilatedResNet(self._n_layer, of_extractor, initialW)
            self.ppm = PyramidPoolingModule(2048, (height // 8, width // 8), PYRAMIDS, initialW)
            self.head_conv1 = Conv2DBNActiv(4096, 512, 3, 1, 1, initialW=initialW)
            self.head_conv2 = Convolution2D(512, param["n_class"], 1, initialW=initialW)
        load_pretrained_model(self, path, heads=() if n_class is None else ("head_conv2",))

    @property
    def n_class(self) -> int:
        """Number of classes."""
        return self.head_conv2.out_channels

    def forward(self, x: Any) -> Variable:
        """Compute class scores, ``(N, n_class, H, W)``.

        Args:
            x: Images minus `mean`, ``(N, 3, H, W)``, of about `input_size`.
        """
        h = dropout(self.head_conv1(self.ppm(self.extractor(x))), 0.1)
        return resize_images(self.head_conv2(h), x.shape[2:])

    def predict(self, imgs: Sequence[Host]) -> list[Host]:
        """Predict the class of each pixel.

        An image whose longer side exceeds that of `input_size` is cut into overlapping tiles. A smaller image is put
        into a frame of zeros, and is not enlarged. Each tile is also predicted mirrored, and the results are averaged.

        Args:
            imgs: Images ``(3, H, W)``, RGB, float32 from 0 to 255, of any sizes. Images of the same size are predicted
                together.

        Returns:
            For each image its labels, int32 ``(H, W)``.
        """
        with inference():
            return predict_by_shape(imgs, lambda images: labels_of(self._probabilities(images)))

    def _probabilities(self, images: Host) -> Array:
        """The sum over scales, ``(N, n_class, H, W)``."""
        size: tuple[int, int] = images.shape[2:]
        total: Any = 0
        for scale in self.scales or (1.0,):
            scaled = int(size[0] * scale), int(size[1] * scale)
            resized = images if scaled == size else np.stack([resize(image, scaled) for image in images])
            at_scale = self._at_one_scale(resized - self.mean)
            total = total + (at_scale if scaled == size else resize_images(at_scale, size).array)
        return total

    def _at_one_scale(self, images: Host) -> Array:
        """Probabilities ``(N, n_class, H, W)`` of images minus `mean`."""
        size: tuple[int, int] = images.shape[2:]
        if max(size) > max(self.input_size):
            return self._of_tiles(self.device.send(images))
        framed = [resize_contain(image, self.input_size, return_param=True) for image in images]
        param = framed[0][1]
        top, left = param["y_offset"], param["x_offset"]
        height, width = param["scaled_size"]
        y = self._of_frames(self.device.send(np.stack([frame for frame, _ in framed])))
        y = y[:, :, top : top + height, left : left + width]
        return y if (height, width) == size else resize_images(y, size, align_corners=False).array

    def _of_tiles(self, images: Array) -> Array:
        """Probabilities averaged where tiles overlap."""
        xp = get_array_module(images)
        n, channels, height, width = images.shape
        stride = [math.ceil(length * 2 / 3) for length in self.input_size]
        as_channels = images.reshape(n * channels, height, width)
        crops, param = convolution_crop(as_channels, self.input_size, stride, return_param=True)
        total = xp.zeros((n, self.n_class, height, width), dtype=images.dtype)
        count = xp.zeros((1, 1, height, width), dtype=images.dtype)
        for i, slices in enumerate(zip(*param.values(), strict=True)):
            y_slice, x_slice, crop_y_slice, crop_x_slice = slices
            y = self._of_frames(crops[i].reshape(n, channels, *self.input_size))
            total[:, :, y_slice, x_slice] += y[:, :, crop_y_slice, crop_x_slice]
            count[:, :, y_slice, x_slice] += 1
        return total / count

    def _of_frames(self, x: Array) -> Array:
        """Probabilities of ``(N, 3, *input_size)``, averaged over each image and its mirror image."""
        n = len(x)
        y = softmax(self.forward(concat([x, flip(x, axis=3)], axis=0)), axis=1)
        probabilities: Array = ((y[:n] + flip(y[n:], axis=3)) / 2).array
        return probabilities


def _published(n_layer: int) -> Mapping[str, PublishedModel]:
    name = f"pspnet_resnet{n_layer}"
    return {
        "cityscapes": published(f"{name}_cityscapes_trained_2018_12_19.npz", n_class=19, input_size=(713, 713)),
        "ade20k": published(f"{name}_ade20k_trained_2018_12_23.npz", n_class=150, input_size=(473, 473)),
    }


class PSPNetResNet50(PSPNet):
    """PSPNet on a residual network of 50 layers. Arguments are those of `PSPNet`."""

    _n_layer = 50
    _models = _published(50)


class PSPNetResNet101(PSPNet):
    """PSPNet on a residual network of 101 layers. Arguments are those of `PSPNet`."""

    _n_layer = 101
    _models = _published(101)
