"""From image files to arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from renga_core.configuration import get_dtype

__all__ = ["ImagePreprocessing", "pixels_of", "read_pixels"]


@dataclass(frozen=True)
class ImagePreprocessing:
    """An image file as an array of one size.

    Attributes:
        size: Height and width that images are resized to.
        channels: 1: grey; 3: red, green, blue.
        shift, scale: Of each channel: a pixel, from 0 to 1, becomes ``(pixel - shift) / scale``.
        invert: Whether dark is large, as in data sets of ink on paper.
        shape: Of the array; empty: (channels, height, width).
        classes: Names of the classes.
    """

    size: tuple[int, int]
    channels: int
    shift: tuple[float, ...]
    scale: tuple[float, ...]
    invert: bool = False
    shape: tuple[int, ...] = ()
    classes: tuple[str, ...] = ()

    @property
    def outputs(self) -> int | None:
        """How many numbers a classifier has to give."""
        return len(self.classes) or None

    def inputs(self, pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Make inputs of pixels.

        Args:
            pixels: uint8 ``(channels, height, width)``.

        Returns:
            An array of `shape` in ``config.dtype``.
        """
        dtype = get_dtype()
        image: Any = pixels.astype(dtype) / dtype.type(255)
        if self.invert:
            image = 1 - image
        shift, scale = (np.array(values, dtype)[:, None, None] for values in (self.shift, self.scale))
        image = (image - shift) / scale
        made: np.ndarray[Any, Any] = image.reshape(self.shape) if self.shape else image
        return made

    def prepare(self, image: Any) -> np.ndarray[Any, Any]:
        """The input of one image in memory, as `pixels_of` takes it."""
        return self.inputs(pixels_of(image, self.size, self.channels))

    def read(self, path: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """Yield the name of an image file, and its input.

        Raises:
            RengaError: Pillow is not installed, or the file is not an image.
            OSError: It cannot be read.
        """
        yield path, self.inputs(read_pixels(path, self.size, self.channels))

    def as_document(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> ImagePreprocessing:
        """Return what `as_document` has described."""
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in document.items()}
        return cls(**fields)


def read_pixels(path: str, size: tuple[int, int] | None, channels: int) -> np.ndarray[Any, Any]:
    """Read an image file, resized unless `size` is None: uint8 ``(channels, height, width)``.

    Raises:
        FileRefused: It is not an image, or is damaged; the message has its name.
        OSError: It cannot be read.
    """
    # Data sets are built on preprocessing, so this cannot be at the top.
    from renga_data.datasets.file_errors import check_growth, reading
    from renga_data.datasets.image_dataset import require_pillow

    require_pillow("ImagePreprocessing")

    from PIL import Image

    with reading(path, "an image"), Image.open(path) as image:
        check_growth(path, image.width * image.height * 4, os.stat(path).st_size, free=1 << 27)
        return _resized(image, size, channels)


def pixels_of(image: Any, size: tuple[int, int] | None, channels: int) -> np.ndarray[Any, Any]:
    """Return the pixels of an image in memory as `read_pixels` does those of a file.

    Args:
        image: An image of Pillow's, or an array of uint8: (height, width), or (height, width, 3 or 4) as cameras give.
        size: Height and width to resize to; None: as it is.
        channels: 1: grey; 3: red, green, blue.

    Raises:
        TypeError: It is something else.
        RengaError: Pillow is not installed.
    """
    from renga_data.datasets.image_dataset import require_pillow

    require_pillow("ImagePreprocessing")

    from PIL import Image

    if not isinstance(image, Image.Image):
        shape, dtype = getattr(image, "shape", None), getattr(image, "dtype", None)
        if (
            dtype != np.uint8
            or shape is None
            or len(shape) not in (2, 3)
            or 0 in shape
            or shape[2:] not in ((), (3,), (4,))
        ):
            what = f"an array of {dtype} {shape}" if shape is not None else type(image).__name__
            raise TypeError(
                f"an image is the path of a file, an image of Pillow's, or an array of uint8 (height, width) or "
                f"(height, width, 3), and this is {what}"
            )
        image = Image.fromarray(np.ascontiguousarray(image))
    return _resized(image, size, channels)


def _resized(image: Any, size: tuple[int, int] | None, channels: int) -> np.ndarray[Any, Any]:
    from PIL import Image

    pixels: Any = image.convert("L" if channels == 1 else "RGB")
    if size is not None and pixels.size != (size[1], size[0]):
        pixels = pixels.resize((size[1], size[0]), Image.Resampling.BILINEAR)
    array = np.asarray(pixels, np.uint8)
    return array[None] if channels == 1 else array.transpose(2, 0, 1)
