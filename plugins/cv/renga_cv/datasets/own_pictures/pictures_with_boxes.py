"""Pictures in files, and objects in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from renga_core.dataset import DatasetMixin
from renga_core.errors import RengaError
from renga_cv.datasets.coco.masks import decoded
from renga_cv.datasets.own_pictures.variation import Variation
from renga_data.preprocessing import PicturePreprocessing, Split, split_indices

__all__ = ["Annotation", "Box", "PicturesWithBoxes", "split_pictures"]

Array = np.ndarray[Any, Any]
Annotation = Literal["boxes", "pixels", "masks"]


class Box(NamedTuple):
    """An object: its box in pixels, its class, and its pixels in the form of COCO's files."""

    top: float
    left: float
    bottom: float
    right: float
    label: str
    segmentation: Any = None

    def check(self, where: str) -> None:
        """Raise RengaError, which begins with `where`, if the box has no area."""
        if not (self.top < self.bottom and self.left < self.right):
            raise RengaError(
                f"{where}: a box from x {self.left:g}, y {self.top:g} to x {self.right:g}, y {self.bottom:g} has no "
                "area: the smaller coordinates come first"
            )


class PicturesWithBoxes(DatasetMixin):
    """Images and the objects in them. Files are read on access.

    An image is float32 (3, H, W), RGB, from 0 to 255. An example is, by `annotation`:

    - ``"boxes"``: image, boxes float32 (R, 4) as y_min, x_min, y_max, x_max, and classes int32 (R,);
    - ``"masks"``: image, masks bool (R, H, W), none of them empty, and classes int32 (R,);
    - ``"pixels"``: image, and the class of each pixel int32 (H, W): the background is class 0. Where objects overlap,
      the class is that of the last one.

    Args:
        files: The files.
        boxes: The boxes in each; with their segmentations, unless `annotation` is ``"boxes"``.
        preprocessing: Reads a file; its classes are those of the boxes, after the background if there is one.
        annotation: What an example contains besides the image.
        vary: Changes an example before it is returned; None: no change.

    Raises:
        RengaError: From an example: a segmentation does not fit the picture.
    """

    def __init__(
        self,
        files: Sequence[Path],
        boxes: Sequence[Sequence[Box]],
        preprocessing: PicturePreprocessing,
        annotation: Annotation = "boxes",
        vary: Variation | None = None,
    ) -> None:
        self._files, self._boxes, self._preprocessing = files, boxes, preprocessing
        self._annotation, self._vary = annotation, vary

    def __len__(self) -> int:
        return len(self._files)

    def get_example(self, i: int) -> tuple[Array, ...]:
        """Return picture `i`, and its objects."""
        ((_, image),) = self._preprocessing.read(str(self._files[i]))
        boxes = self._boxes[i]
        labels = np.array([self._preprocessing.classes.index(box.label) for box in boxes], np.int32)
        if self._annotation == "boxes":
            truth = np.array([box[:4] for box in boxes], np.float32).reshape(-1, 4)
        else:
            truth = self._masks(i, image.shape[1:])
            covers = truth.any(axis=(1, 2))
            truth, labels = truth[covers], labels[covers]
        if self._annotation == "pixels":
            pixels = np.zeros(image.shape[1:], np.int32)
            for mask, label in zip(truth, labels, strict=True):
                pixels[mask] = label
            return (image, pixels) if self._vary is None else self._vary.pixels(image, pixels)
        return (image, truth, labels) if self._vary is None else self._vary.objects(image, truth, labels)

    def _masks(self, i: int, size: tuple[int, int]) -> Array:
        """The masks of picture `i`."""
        masks = np.zeros((len(self._boxes[i]), *size), bool)
        for mask, box in zip(masks, self._boxes[i], strict=True):
            try:
                mask[:] = decoded(box.segmentation, *size)
            except ValueError as error:
                what = f"{self._files[i]}: the mask of an object does not fit the picture: {error}"
                raise RengaError(what) from error
        return masks


def split_pictures(
    found: dict[Path, list[Box]],
    classes: Sequence[str],
    test_ratio: float,
    seed: int,
    vary: Variation | None = None,
    annotation: Annotation = "boxes",
) -> Split:
    """Return (train, test) sets of pictures.

    Args:
        found: The files, and the boxes in each.
        classes: Names of the classes.
        test_ratio: Fraction of the pictures used for testing.
        seed: Seed of the random choice of test pictures.
        vary: Changes pictures to train on.
        annotation: What examples contain; see `PicturesWithBoxes`.

    Raises:
        RengaError: A file is missing, or there are no pictures for training or for the test.
    """
    missing = [file for file in found if not file.is_file()]
    if missing:
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise RengaError(f"there is no picture {missing[0]}{more}. Next: give the folder of the pictures by `folder`.")
    background = ("background",) if annotation == "pixels" else ()
    preprocessing = PicturePreprocessing((*background, *classes))
    files = list(found)
    train, test = (
        PicturesWithBoxes([files[i] for i in part], [found[files[i]] for i in part], preprocessing, annotation, change)
        for part, change in zip(split_indices(len(files), test_ratio, seed), (vary, None), strict=True)
    )
    return Split(train, test, preprocessing)
