"""The base class of tasks for pictures."""

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
    """A task in which a network locates things in pictures.

    Its metrics, such as an average precision, are not means over examples. So the evaluator `PredictionEvaluator`
    compares each batch with the truth, then computes the metrics of all results.

    The trained link has the network as `predictor`, whose ``predict(images)`` takes a list of images (3, H, W) of any
    size, RGB from 0 to 255.
    """

    evaluator = "predictions"
    higher_is_better = True
    preprocessing: Any = PicturePreprocessing()

    @abstractmethod
    def compare(self, target: Link, *batch: Any) -> Any:
        """Return what the metrics need from a batch, on the host. It should be small: ranks send it to each other.

        Args:
            target: The trained link, in test mode.
            batch: The converted batch.
        """

    @abstractmethod
    def measure(self, compared: Sequence[Any]) -> dict[str, float]:
        """Return the metrics of all test data, from the results of `compare`."""

    @abstractmethod
    def predictions(self, target: Link, images: list[Array]) -> list[Any]:
        """Return the predictions for each image."""

    @abstractmethod
    def draw(self, image: Array, prediction: Any) -> Array:
        """Draw the predictions for an image, uint8 (3, H', W')."""

    def samples(self, target: Link, examples: Sequence[Any]) -> Any:
        """Writes pictures with the network's predictions."""
        images = [example[0] for example in examples]
        found = self.predictions(target, images)
        drawn = [self.draw(image, each) for image, each in zip(images, found, strict=True)]
        height, width = (max(picture.shape[axis] for picture in drawn) for axis in (1, 2))
        page = np.zeros((len(drawn), 3, height, width), np.float32)
        for place, picture in zip(page, drawn, strict=True):
            place[:, : picture.shape[1], : picture.shape[2]] = picture / np.float32(255)
        return page

    def predict_into(self, target: Link, examples: Iterable[tuple[str, Any]], folder: Path) -> None:
        """Write a PNG picture for each example, under its name, with the predictions drawn on it."""
        for name, image in examples:
            self._save(folder, name, image, self.predictions(target, [image])[0])

    def _save(self, folder: Path, name: str, image: Array, prediction: Any) -> None:
        with atomic_path(folder / f"{Path(name).stem}.png") as temporary:
            as_png(self.draw(image, prediction)).save(temporary, format="PNG")

    def _name(self, label: int) -> str:
        """Return the name of a class, or its number if the data set has no names."""
        names = getattr(self.preprocessing, "classes", ())
        return names[label] if label < len(names) else str(label)
