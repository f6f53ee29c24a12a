"""Apply a network to images of any size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_cv.links.model.inference import inference
from renga_cv.transforms.image.crop import center_crop, ten_crop
from renga_cv.transforms.image.resize import resize, scale

__all__ = ["FeaturePredictor"]

Host = np.ndarray[Any, Any]


class FeaturePredictor(Chain):
    """Resize and crop images for a network, and compute its outputs, averaged over the crops.

    ::

        model = FeaturePredictor(ResNet50(pretrained_model="imagenet"), crop_size=224, scale_size=256)
        probabilities = model.predict(images)

    Args:
        extractor: The network: it returns an array or a tuple of arrays for images, float32 ``(N, C, H, W)``. It has an
            attribute `mean`, unless `mean` is given here.
        crop_size: Height and width of crops; one number for a square.
        scale_size: Size of images before the crop: a number is the length of the shorter edge, a pair is height and
            width, None does not resize.
        crop: ``"center"``, or ``"10"``: center, corners, and the mirror images of these.
        mean: The mean colour to subtract, float32 ``(C, 1, 1)``; None: the extractor's.

    Raises:
        ValueError: `crop` is unknown.

    Attributes: see the arguments; `crop_size` is a pair.
    """

    def __init__(
        self,
        extractor: Link,
        crop_size: int | tuple[int, int],
        scale_size: int | tuple[int, int] | None = None,
        crop: str = "center",
        mean: Any = None,
    ) -> None:
        super().__init__()
        if crop not in ("center", "10"):
            raise ValueError(f"FeaturePredictor: crop is {crop!r}; it can be 'center' or '10'")
        self.scale_size = scale_size
        self.crop_size = (crop_size, crop_size) if isinstance(crop_size, int) else crop_size
        self.crop = crop
        with self.init_scope():
            self.extractor = extractor
        self.mean = getattr(extractor, "mean", None) if mean is None else mean
        if self.mean is None:
            raise ValueError(
                f"FeaturePredictor: {type(extractor).__name__} has no attribute `mean`, the colour to subtract from "
                f"images. Next: pass it; mean=np.zeros((3, 1, 1), np.float32) subtracts nothing"
            )

    def predict(self, imgs: Sequence[Host]) -> Host | tuple[Host, ...]:
        """Compute the outputs for images, in test mode and without a graph.

        Args:
            imgs: Images ``(C, H, W)``, of values from 0 to 255, red first, of any sizes.

        Returns:
            The extractor's output in host memory, an item for each image; a tuple of such arrays if the extractor
            returns a tuple.
        """
        crops = np.concatenate([self._prepare(img) for img in imgs])
        with inference():
            outputs = self.extractor(self.device.send(crops))
        if isinstance(outputs, tuple):
            return tuple([self._mean_of_crops(output, len(imgs)) for output in outputs])
        return self._mean_of_crops(outputs, len(imgs))

    def _prepare(self, img: Host) -> Host:
        """The crops of an image, ``(crops, C, H, W)``."""
        if isinstance(self.scale_size, int):
            img = scale(img, self.scale_size)
        elif self.scale_size is not None:
            img = resize(img, self.scale_size)
        crops = ten_crop(img, self.crop_size) if self.crop == "10" else center_crop(img, self.crop_size)[None]
        return np.asarray(crops - self.mean, np.float32)

    @staticmethod
    def _mean_of_crops(output: Any, count: int) -> Host:
        array = to_host(output.array if isinstance(output, Variable) else output)
        mean: Host = array.reshape(count, -1, *array.shape[1:]).mean(axis=1)
        return mean
