"""Converting image files to arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from renga_core.configuration import get_dtype

__all__ = ["ImagePreprocessing", "height_and_width", "pixels_of", "read_pixels"]


@dataclass(frozen=True)
class ImagePreprocessing:
    """Converts an image file to an array of fixed size.

    Attributes:
        size: Height and width to resize to.
        channels: 1: grey; 3: red, green, blue.
        shift, scale: For each channel: a pixel in [0, 1] becomes ``(pixel - shift) / scale``.
        invert: Whether dark pixels get large values, as in data sets of ink on paper.
        shape: Shape of the array; empty: (channels, height, width).
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
        """The number of outputs that a classifier needs."""
        return len(self.classes) or None

    def inputs(self, pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Make inputs from pixels.

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
            OSError: The file cannot be read.
        """
        yield path, self.inputs(read_pixels(path, self.size, self.channels))

    def as_document(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return asdict(self)

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> ImagePreprocessing:
        """Make it from the result of `as_document`."""
        fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in document.items()}
        return cls(**fields)


def height_and_width(size: int | tuple[int, int]) -> tuple[int, int]:
    """Return the height and width that `size` stands for: one number for both, or a pair. ValueError below 1."""
    height, width = (size, size) if isinstance(size, int) else size
    if min(height, width) < 1:
        raise ValueError(f"size must be at least 1 pixel, not {size}")
    return height, width


def read_pixels(path: str, size: tuple[int, int] | None, channels: int) -> np.ndarray[Any, Any]:
    """Read an image file, resized unless `size` is None: uint8 ``(channels, height, width)``.

    Raises:
        FileRefused: The file is not an image, or is damaged; the message has its name.
        OSError: The file cannot be read.
    """
    # Imported here, because data sets import this module.
    from renga_data.datasets.file_errors import check_growth, reading
    from renga_data.datasets.image_dataset import require_pillow

    require_pillow("ImagePreprocessing")

    from PIL import Image

    with reading(path, "an image"), Image.open(path) as image:
        check_growth(path, image.width * image.height * 4, os.stat(path).st_size, free=1 << 27)
        return _resized(image, size, channels)


def pixels_of(image: Any, size: tuple[int, int] | None, channels: int) -> np.ndarray[Any, Any]:
    """Return the pixels of an image in memory, as `read_pixels` does for a file.

    Args:
        image: A Pillow image, or a uint8 array: (height, width), or (height, width, 3 or 4) as from cameras.
        size: Height and width to resize to; None: do not resize.
        channels: 1: grey; 3: red, green, blue.

    Raises:
        TypeError: The argument has another type.
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
                f"an image must be the path of a file, a Pillow image, or a uint8 array (height, width) or "
                f"(height, width, 3), not {what}"
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
