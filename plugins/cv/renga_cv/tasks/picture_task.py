"""What tasks for pictures have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from renga_core.link import Link
from renga_cv.tasks.drawing import as_png
from renga_data.preprocessing import PicturePreprocessing
from renga_serializers.atomic import atomic_path
from renga_training.tasks.task import Task

__all__ = ["PictureTask"]

Array = np.ndarray[Any, Any]


class PictureTask(Task):
    """A network finds things in pictures, and says where they are.

    How good it is does not follow from means over examples, such as an average precision: the evaluator
    `PredictionEvaluator` has each batch compared with the truth, and then asks for the figures of all.

    The trained link has the network as `predictor`, whose ``predict(images)`` takes a list of images (3, H, W) of any
    size, RGB from 0 to 255.
    """

    evaluator = "predictions"
    higher_is_better = True
    preprocessing: Any = PicturePreprocessing()

    @abstractmethod
    def compare(self, target: Link, *batch: Any) -> Any:
        """Return what the figures need to know of a batch, on the host: small, since ranks send it to each other.

        Args:
            target: The trained link, in test mode.
            batch: What the converter has made of the batch.
        """

    @abstractmethod
    def measure(self, compared: Sequence[Any]) -> dict[str, float]:
        """Return the figures of the whole test data, given what `compare` has returned for each batch."""

    @abstractmethod
    def predictions(self, target: Link, images: list[Array]) -> list[Any]:
        """Return what the network finds in each of the images."""

    @abstractmethod
    def draw(self, image: Array, prediction: Any) -> Array:
        """Return a picture of what was found in an image, uint8 (3, H', W')."""

    def samples(self, target: Link, examples: Sequence[Any]) -> Any:
        """Pictures with what the network finds in them."""
        images = [example[0] for example in examples]
        found = self.predictions(target, images)
        drawn = [self.draw(image, each) for image, each in zip(images, found, strict=True)]
        height, width = (max(picture.shape[axis] for picture in drawn) for axis in (1, 2))
        page = np.zeros((len(drawn), 3, height, width), np.float32)
        for place, picture in zip(page, drawn, strict=True):
            place[:, : picture.shape[1], : picture.shape[2]] = picture / np.float32(255)
        return page

    def predict_into(self, target: Link, examples: Iterable[tuple[str, Any]], folder: Path) -> None:
        """Write a picture for each example, as PNG under the example's name, with what was found drawn into it."""
        for name, image in examples:
            self._save(folder, name, image, self.predictions(target, [image])[0])

    def _save(self, folder: Path, name: str, image: Array, prediction: Any) -> None:
        with atomic_path(folder / f"{Path(name).stem}.png") as temporary:
            as_png(self.draw(image, prediction)).save(temporary, format="PNG")

    def _name(self, label: int) -> str:
        """The name of a class, or its number where the data set has told no names."""
        names = getattr(self.preprocessing, "classes", ())
        return names[label] if label < len(names) else str(label)
