"""Metrics of detection and instance segmentation from the competitions PASCAL VOC and COCO."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.backend import Device
from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Iterator
from renga_core.errors import RengaError
from renga_core.link import Link
from renga_cv.evaluations.eval_detection_coco import eval_detection_coco
from renga_cv.evaluations.eval_detection_voc import eval_detection_voc
from renga_cv.evaluations.eval_instance_segmentation_coco import eval_instance_segmentation_coco
from renga_cv.evaluations.eval_instance_segmentation_voc import eval_instance_segmentation_voc
from renga_cv.tasks.detection import Detection
from renga_cv.tasks.evaluator import PredictionEvaluator
from renga_cv.tasks.picture_task import PictureTask

__all__ = ["COCOEvaluator", "VOCEvaluator"]


class _ObjectsEvaluator(PredictionEvaluator):
    """Evaluates the results of a task that finds objects.

    Args:
        iterator, target, task, communicator, converter, device: See `PredictionEvaluator`.

    Raises:
        RengaError: The task finds no objects.
    """

    def __init__(
        self,
        iterator: Iterator,
        target: Link,
        task: PictureTask,
        communicator: CommunicatorBase,
        converter: Callable[..., Any],
        device: Device | str | None = None,
    ) -> None:
        if not isinstance(task, Detection):
            raise RengaError(
                f"{type(self).__name__} evaluates the tasks detection and instance_segmentation, not "
                f"{type(task).__name__}. Next: remove [evaluator]; then the task's own evaluator is used."
            )
        super().__init__(iterator, target, task, communicator, converter, device)
        self.masks = task.target_type == "masks"
        self.classes = tuple(getattr(task.preprocessing, "classes", ()))

    @staticmethod
    def parts(compared: list[Any]) -> list[Any]:
        """For all pictures: predicted objects, classes and scores, and true objects and classes."""
        return list(zip(*[picture for batch in compared for picture in batch], strict=True))


class VOCEvaluator(_ObjectsEvaluator):
    """Average precision as PASCAL VOC defines it: ``map``, the mean over classes, and ``ap/NAME`` of each class.

    Args:
        iterator, target, task, communicator, converter, device: See `PredictionEvaluator`.
        iou_thresh: Smallest intersection over union of a hit.
        use_07_metric: Compute average precision as VOC 2007 did, from 11 points.

    Raises:
        RengaError: The task finds no objects.
    """

    def __init__(
        self,
        iterator: Iterator,
        target: Link,
        task: PictureTask,
        communicator: CommunicatorBase,
        converter: Callable[..., Any],
        device: Device | str | None = None,
        iou_thresh: float = 0.5,
        use_07_metric: bool = False,
    ) -> None:
        super().__init__(iterator, target, task, communicator, converter, device)
        self.iou_thresh, self.use_07_metric = iou_thresh, use_07_metric

    def measure(self, compared: list[Any]) -> dict[str, float]:
        """The average precisions."""
        evaluate: Callable[..., Any] = eval_instance_segmentation_voc if self.masks else eval_detection_voc
        found = evaluate(*self.parts(compared), iou_thresh=self.iou_thresh, use_07_metric=self.use_07_metric)
        names = [self.classes[i] if i < len(self.classes) else str(i) for i in range(len(found["ap"]))]
        each = {f"ap/{name}": float(ap) for name, ap in zip(names, found["ap"], strict=True)}
        return {"map": float(found["map"]), **each}


class COCOEvaluator(_ObjectsEvaluator):
    """The figures of the task, and COCO's average precision and recall. Needs pycocotools.

    Means over classes are reported, with the names of `eval_detection_coco`:
    ``map/iou=0.50:0.95/area=all/max_dets=100``, the same with ``iou=0.50`` and ``iou=0.75``, and
    ``mar/iou=0.50:0.95/area=all/max_dets=1`` (10, 100).

    Args:
        iterator, target, task, communicator, converter, device: See `PredictionEvaluator`.

    Raises:
        RengaError: The task finds no objects; from the extension: pycocotools is not installed.
    """

    def measure(self, compared: list[Any]) -> dict[str, float]:
        """The figures of the task, and COCO's."""
        evaluate: Callable[..., Any] = eval_instance_segmentation_coco if self.masks else eval_detection_coco
        found = evaluate(*self.parts(compared))
        means = {name: float(value) for name, value in found.items() if name.startswith("m") and np.ndim(value) == 0}
        return {**super().measure(compared), **means}
