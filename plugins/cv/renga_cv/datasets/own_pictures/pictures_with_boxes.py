"""Pictures in files, and boxes in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from renga_core.dataset import DatasetMixin
from renga_core.errors import RengaError
from renga_data.preprocessing import PicturePreprocessing, Split, split_indices

__all__ = ["Box", "PicturesWithBoxes", "split_pictures"]

Array = np.ndarray[Any, Any]


class Box(NamedTuple):
    """A box around an object, in pixels, and its class."""

    top: float
    left: float
    bottom: float
    right: float
    label: str

    def check(self, where: str) -> None:
        """Raise RengaError, which begins with `where`, if the box has no area."""
        if not (self.top < self.bottom and self.left < self.right):
            raise RengaError(
                f"{where}: a box from x {self.left:g}, y {self.top:g} to x {self.right:g}, y {self.bottom:g} has no "
                "area: the smaller coordinates come first"
            )


class PicturesWithBoxes(DatasetMixin):
    """Triples of an image, boxes float32 (R, 4), and classes int32 (R,). Files are read when they are asked for.

    An image is float32 (3, H, W), RGB, from 0 to 255. Boxes are y_min, x_min, y_max, x_max.

    Args:
        files: The files.
        boxes: The boxes in each.
        preprocessing: Reads a file; its classes are those of the boxes.
    """

    def __init__(
        self, files: Sequence[Path], boxes: Sequence[Sequence[Box]], preprocessing: PicturePreprocessing
    ) -> None:
        self._files, self._boxes, self._preprocessing = files, boxes, preprocessing

    def __len__(self) -> int:
        return len(self._files)

    def get_example(self, i: int) -> tuple[Array, Array, Array]:
        """Return picture `i`, and what is in it."""
        ((_, image),) = self._preprocessing.read(str(self._files[i]))
        boxes = self._boxes[i]
        corners = np.array([box[:4] for box in boxes], np.float32).reshape(-1, 4)
        return image, corners, np.array([self._preprocessing.classes.index(box.label) for box in boxes], np.int32)


def split_pictures(found: dict[Path, list[Box]], classes: Sequence[str], test_ratio: float, seed: int) -> Split:
    """Return (train, test) sets of pictures.

    Args:
        found: The files, and the boxes in each.
        classes: Names of the classes.
        test_ratio: Part of the pictures that is for testing.
        seed: Of the choice of pictures for testing.

    Raises:
        RengaError: A file is not there, or nothing would be left to train on or to test.
    """
    missing = [file for file in found if not file.is_file()]
    if missing:
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise RengaError(f"there is no picture {missing[0]}{more}. Next: say by `folder` where the pictures are.")
    preprocessing = PicturePreprocessing(tuple(classes))
    files = list(found)
    train, test = (
        PicturesWithBoxes([files[i] for i in part], [found[files[i]] for i in part], preprocessing)
        for part in split_indices(len(files), test_ratio, seed)
    )
    return Split(train, test, preprocessing)
