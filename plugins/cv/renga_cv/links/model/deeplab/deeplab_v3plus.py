"""DeepLab v3+ (Chen et al. 2018)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_cv.links.model.deeplab.aspp import SeparableASPP
from renga_cv.links.model.deeplab.decoder import Decoder
from renga_cv.links.model.deeplab.xception import Xception65
from renga_cv.links.model.inference import inference
from renga_cv.links.model.segmentation import Host, labels_of, predict_by_shape
from renga_cv.transforms.image.resize import resize
from renga_cv.utils.pretrained import (
    PublishedModel,
    load_pretrained_model,
    prepare_pretrained_model,
    published,
)
from renga_nn.functions.activation import softmax
from renga_nn.functions.array.flip import flip
from renga_nn.functions.array.resize_images import resize_images
from renga_nn.functions.window import per_axis

__all__ = ["DeepLabV3plus", "DeepLabV3plusXception65"]


class DeepLabV3plus(Chain):
    """A network for semantic segmentation, made of an extractor, an atrous spatial pyramid and a decoder.

    Args:
        feature_extractor: A link that returns features of low and of high level for images from -1 to 1. Its attribute
            `mean` is the colour that images are padded with.
        aspp: A link that is applied to the features of high level.
        decoder: A link that returns scores of classes for both.
        min_input_size: Height and width (one number for both) that smaller images are padded to.
        scales: Sizes to predict images at, as factors; the probabilities are averaged.
        flip: Whether to predict mirrored images, too, and to average.

    Raises:
        TypeError, ValueError: `min_input_size` is not one or two positive integers.

    Attributes: see the arguments.
    """

    feature_extractor: Any

    def __init__(
        self,
        feature_extractor: Link,
        aspp: Link,
        decoder: Link,
        min_input_size: int | Sequence[int],
        scales: Sequence[float] = (1.0,),
        flip: bool = False,
    ) -> None:
        super().__init__()
        self.min_input_size = per_axis(type(self).__name__, "min_input_size", min_input_size, 2)
        self.scales = tuple(scales)
        self.flip = flip
        with self.init_scope():
            self.feature_extractor = feature_extractor
            self.aspp = aspp
            self.decoder = decoder

    def prepare(self, image: Host) -> Host:
        """Pad an image at the bottom and the right to the least size, and scale it to numbers from -1 to 1.

        Args:
            image: ``(3, H, W)``, RGB, from 0 to 255.

        Returns:
            float32 ``(3, H', W')``.
        """
        _, height, width = image.shape
        size = max(height, self.min_input_size[0]), max(width, self.min_input_size[1])
        mean = self.feature_extractor.mean
        padded = np.broadcast_to(np.asarray(mean, np.float32), (3, *size)).copy()
        padded[:, :height, :width] = image
        return np.asarray(padded / np.float32(127.5) - 1, np.float32)

    def forward(self, x: Any) -> Variable:
        """Scores of classes at the resolution of the features of low level: ``(N, n_class, ⌈H / 4⌉, ⌈W / 4⌉)``.

        Args:
            x: Images from `prepare`, ``(N, 3, H, W)``.
        """
        low, high = self.feature_extractor(x)
        y: Variable = self.decoder(low, self.aspp(high))
        return y

    def predict(self, imgs: Sequence[Host]) -> list[Host]:
        """Predict the class of each pixel.

        Args:
            imgs: Images ``(3, H, W)``, RGB, float32 from 0 to 255, of any sizes. Images of the same size are predicted
                together.

        Returns:
            For each image its labels, int32 ``(H, W)``.
        """
        with inference():
            return predict_by_shape(imgs, lambda images: labels_of(self._probabilities(images)))

    def _probabilities(self, images: Host) -> Array:
        """The sum over scales and mirror images, ``(N, n_class, H, W)``."""
        size: tuple[int, int] = images.shape[2:]
        total: Any = 0
        for scale in self.scales:
            scaled = int(size[0] * scale), int(size[1] * scale)
            resized = images if scaled == size else np.stack([resize(image, scaled) for image in images])
            total = total + self._probabilities_at(resized, size)
            if self.flip:
                total = total + flip(self._probabilities_at(resized[..., ::-1], size), axis=3)
        return total.array

    def _probabilities_at(self, images: Host, size: tuple[int, int]) -> Variable:
        height, width = images.shape[2:]
        x = self.device.send(np.stack([self.prepare(image) for image in images]))
        y = resize_images(softmax(self.forward(x), axis=1), x.shape[2:])[:, :, :height, :width]
        return y if (height, width) == size else resize_images(y, size, align_corners=False)


class DeepLabV3plusXception65(DeepLabV3plus):
    """DeepLab v3+ on Xception with 65 layers.

    Args:
        n_class: Number of classes.
        pretrained_model: The file of trained weights, or one of ``"voc"``, ``"cityscapes"`` and ``"ade20k"`` for those
            that ChainerCV's authors have published (see `renga_cv.utils.pretrained`); None for none.
        min_input_size: Height and width that smaller images are padded to. Default: 513 × 513.
        scales, flip: See `DeepLabV3plus`. Default: the image as it is.
        extractor_kwargs: Arguments of `Xception65`.
        aspp_kwargs: Arguments of `SeparableASPP`.
        decoder_kwargs: Arguments of `Decoder`. The published weights need
            ``{"bn_kwargs": {"decay": 0.9997, "eps": 1e-3}}`` for the extractor, and ``"eps": 1e-5`` for the other two.
            The names of the weights set this; the path of a file does not.

    Raises:
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.
    """

    _models: ClassVar[Mapping[str, PublishedModel]] = {
        name: published(
            f"deeplabv3plus_xception65_{name}_converted_{date}.npz",
            overwritable=("scales", "flip"),
            n_class=n_class,
            min_input_size=min_input_size,
            scales=(1.0,),
            flip=False,
            extractor_kwargs={"bn_kwargs": {"decay": 0.9997, "eps": 1e-3}},
            aspp_kwargs={"bn_kwargs": {"decay": 0.9997, "eps": 1e-5}},
            decoder_kwargs={"bn_kwargs": {"decay": 0.9997, "eps": 1e-5}},
        )
        for name, date, n_class, min_input_size in (
            ("voc", "2019_02_15", 21, (513, 513)),
            ("cityscapes", "2019_02_15", 19, (1025, 2049)),
            ("ade20k", "2019_03_08", 150, (513, 513)),
        )
    }

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        min_input_size: int | Sequence[int] | None = None,
        scales: Sequence[float] | None = None,
        flip: bool | None = None,
        extractor_kwargs: Mapping[str, Any] | None = None,
        aspp_kwargs: Mapping[str, Any] | None = None,
        decoder_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        given = {
            "n_class": n_class,
            "min_input_size": min_input_size,
            "scales": scales,
            "flip": flip,
            "extractor_kwargs": extractor_kwargs,
            "aspp_kwargs": aspp_kwargs,
            "decoder_kwargs": decoder_kwargs,
        }
        default = {
            "min_input_size": (513, 513),
            "scales": (1.0,),
            "flip": False,
            "extractor_kwargs": {},
            "aspp_kwargs": {},
            "decoder_kwargs": {},
        }
        param, path = prepare_pretrained_model(given, pretrained_model, self._models, default)
        super().__init__(
            Xception65(**param["extractor_kwargs"]),
            SeparableASPP(2048, 256, **param["aspp_kwargs"]),
            Decoder(256, param["n_class"], 48, 256, **param["decoder_kwargs"]),
            param["min_input_size"],
            param["scales"],
            param["flip"],
        )
        load_pretrained_model(self, path, heads=() if n_class is None else ("decoder/conv_logits",))
