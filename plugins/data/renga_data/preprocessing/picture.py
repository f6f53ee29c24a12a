"""Images in their own size, for detection and segmentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_data.preprocessing.image import pixels_of, read_pixels

__all__ = ["PicturePreprocessing"]


@dataclass(frozen=True)
class PicturePreprocessing:
    """Converts an image file to an array (3, height, width), RGB from 0 to 255. The network resizes and scales it.

    Attributes:
        classes: Names of the classes; empty if unknown.
    """

    classes: tuple[str, ...] = ()

    @property
    def outputs(self) -> int | None:
        """The number of classes, or None if unknown."""
        return len(self.classes) or None

    def prepare(self, image: Any) -> np.ndarray[Any, Any]:
        """The input of one image in memory, as `pixels_of` takes it."""
        return pixels_of(image, None, 3).astype(np.float32)

    def read(self, path: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        """Yield the name of an image file, and its pixels in float32, in the file's size.

        Raises:
            RengaError: Pillow is not installed, or the file is not an image.
            OSError: The file cannot be read.
        """
        yield path, read_pixels(path, None, 3).astype(np.float32)

    def as_document(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"classes": list(self.classes)}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> PicturePreprocessing:
        """Make it from the result of `as_document`."""
        return cls(tuple(document["classes"]))
