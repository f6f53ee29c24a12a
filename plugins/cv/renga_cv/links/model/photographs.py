"""From image files to the inputs of a classifier of photographs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_core.configuration import get_dtype
from renga_cv.transforms.image.crop import center_crop
from renga_cv.transforms.image.resize import scale
from renga_data.preprocessing.image import pixels_of, read_pixels

__all__ = ["PhotographPreprocessing"]


@dataclass(frozen=True)
class PhotographPreprocessing:
    """The center of an image file, as in tests of networks trained on ImageNet: RGB from 0 to 1.

    Attributes:
        classes: Names of the classes; empty if unknown.
        scale_size: The length that the shorter edge is resized to.
        crop_size: Height and width of the crop.

    Source: K. Simonyan and A. Zisserman, "Very deep convolutional networks for large-scale image recognition", 2015,
    section 3.2; the sizes are common since then.
    """

    classes: tuple[str, ...] = ()
    scale_size: int = 256
    crop_size: int = 224

    def prepare(self, image: Any) -> np.ndarray[Any, Any]:
        """The input of one image in memory; see `renga_data.preprocessing.image.pixels_of`."""
        return self._input(pixels_of(image, None, 3))

    def read(self, path: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """Yield the name of an image file, and its input, ``(3, crop_size, crop_size)`` in ``config.dtype``.

        Raises:
            RengaError: Pillow is not installed, or the file is not an image.
            OSError: It cannot be read.
        """
        yield path, self._input(read_pixels(path, None, 3))

    def _input(self, pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        image = scale(pixels.astype(np.float32), self.scale_size)
        cut = center_crop(image, (self.crop_size, self.crop_size))
        made: np.ndarray[Any, Any] = (cut / np.float32(255)).astype(get_dtype())
        return made
