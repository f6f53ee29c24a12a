"""Pictures with the boxes that a detector finds, during training."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from typing import Any

from renga_core.dataset import Iterator
from renga_core.training import Extension, TrainerLike
from renga_cv.visualizations.vis_bbox import vis_bbox
from renga_serializers.atomic import atomic_write
from renga_serializers.optional import require
from renga_training.extensions.evaluator import from_the_start
from renga_training.extensions.picture import new_figure

__all__ = ["DetectionVisReport"]

_INCHES = 5.0


class DetectionVisReport(Extension):
    """Writes a picture for each example: the true boxes on the left, the detected boxes on the right.

    Needs Matplotlib; and Pillow for files whose names end in ``.jpg``.

    Args:
        iterator: Iterates over a few examples once (``repeat=False``): tuples of an image, its boxes and their labels;
            further elements are ignored.
        target: The detector.
        label_names: The names of classes.
        filename: Name of a picture in the trainer's folder. ``{iteration}`` and ``{index}`` are replaced by the number
            of the iteration and of the example, from 0.
    """

    on_every_rank = False

    def __init__(
        self,
        iterator: Iterator,
        target: Any,
        label_names: Sequence[str] | None = None,
        filename: str = "detection_iter={iteration}_idx={index}.jpg",
    ) -> None:
        self.iterator = iterator
        self.target = target
        self.label_names = label_names
        self.filename = filename

    @staticmethod
    def available() -> bool:
        """Whether Matplotlib is installed."""
        return importlib.util.find_spec("matplotlib") is not None

    def initialize(self, trainer: TrainerLike) -> None:
        """Get ready. Raises `RengaError` if Matplotlib is not installed."""
        require("matplotlib", type(self).__name__, "plot")

    def __call__(self, trainer: TrainerLike) -> None:
        """Detect, and write the pictures."""
        index = 0
        for batch in from_the_start(self.iterator):
            predicted = self.target.predict([example[0] for example in batch])
            for example, *found in zip(batch, *predicted, strict=True):
                name = self.filename.format(iteration=trainer.updater.iteration, index=index)
                self._draw(os.path.join(trainer.out, name), example, found)
                index += 1

    def _draw(self, path: str, example: Any, found: Sequence[Any]) -> None:
        img, bbox, label = example[:3]
        figure = new_figure(2 * _INCHES, _INCHES)
        left, right = figure.subplots(1, 2)
        vis_bbox(img, bbox, label, label_names=self.label_names, ax=left)
        left.set_title("ground truth")
        bbox, label, score = found
        vis_bbox(img, bbox, label, score, label_names=self.label_names, ax=right)
        right.set_title("predicted")
        with atomic_write(path) as file:
            figure.savefig(file, format=os.path.splitext(path)[1].lstrip(".") or "png")
