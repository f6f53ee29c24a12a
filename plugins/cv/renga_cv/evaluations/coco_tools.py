"""COCO's metrics, computed by pycocotools without its printed output.

Needs pycocotools: ``pip install 'renga[coco]'``.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from renga_cv.evaluations.images import mean_of_known
from renga_serializers.optional import require

__all__ = ["Annotations", "evaluated"]

_IOUS: dict[str, slice | int] = {"iou=0.50:0.95": slice(None), "iou=0.50": 0, "iou=0.75": 5}
_AREAS = ("all", "small", "medium", "large")
_MAX_DETS = (1, 10, 100)


class Annotations:
    """Predicted or true objects of images, in COCO's format.

    Args:
        asker: The function that needs pycocotools, for the message.

    Raises:
        RengaError: It is not installed.
    """

    def __init__(self, asker: str) -> None:
        require("pycocotools", asker, "coco")
        self.objects: list[dict[str, Any]] = []

    def add(self, image: int, label: int, area: float, shape: dict[str, Any], **more: Any) -> None:
        """Add an object; `shape` is a box or a mask, `more` the score or the crowd flag."""
        # pycocotools treats object number 0 as no object.
        number = len(self.objects) + 1
        self.objects.append({"id": number, "image_id": image, "category_id": label, "area": area, **shape, **more})

    def labels(self) -> set[int]:
        """Return the classes that occur."""
        return {found["category_id"] for found in self.objects}

    def indexed(self, sizes: list[tuple[int, int]], labels: list[int]) -> Any:
        """Convert to an object of pycocotools.

        Args:
            sizes: Height and width of each image.
            labels: All classes.
        """
        from pycocotools import coco

        index = coco.COCO()
        index.dataset = {
            "images": [{"id": i, "height": height, "width": width} for i, (height, width) in enumerate(sizes)],
            "annotations": self.objects,
            "categories": [{"id": label} for label in labels],
        }
        _silent(coco.COCO.createIndex)(index)
        return index


def evaluated(
    pred: Annotations, gt: Annotations, sizes: list[tuple[int, int]], iou_type: str, by_area: bool
) -> dict[str, Any]:
    """Compute COCO's metrics of predictions.

    Args:
        pred: Predictions, with scores.
        gt: The ground truth, each with ``iscrowd``.
        sizes: Height and width of each image.
        iou_type: ``"bbox"`` or ``"segm"``.
        by_area: Also compute metrics of small, medium and large objects.

    Returns:
        For each metric, such as ``ap/iou=0.50:0.95/area=all/max_dets=100``, an array with one value per class up to the
        largest label, NaN for classes without objects. The same name with a leading ``m`` has their mean.
        ``existent_labels``: the classes that occur. ``coco_eval``: pycocotools' object, or None if no class occurs.
    """
    labels = sorted(pred.labels() | gt.labels())
    evaluation = _evaluation(pred, gt, sizes, labels, iou_type) if labels else None
    results: dict[str, Any] = {"coco_eval": evaluation, "existent_labels": np.array(labels, np.int32)}
    for area in _AREAS if by_area else _AREAS[:1]:
        chosen: list[tuple[str, str, int]] = [("ap", iou, 100) for iou in (_IOUS if area == "all" else list(_IOUS)[:1])]
        chosen += [("ar", "iou=0.50:0.95", n) for n in (_MAX_DETS if area == "all" else _MAX_DETS[-1:])]
        for measure, iou, max_dets in chosen:
            values = np.full(max(labels, default=-1) + 1, np.nan)
            if evaluation is not None:
                values[labels] = _by_class(evaluation, measure, _IOUS[iou], _AREAS.index(area), max_dets)
            key = f"{measure}/{iou}/area={area}/max_dets={max_dets}"
            results[key] = values
            results["m" + key] = mean_of_known(values)
    return results


def _evaluation(
    pred: Annotations, gt: Annotations, sizes: list[tuple[int, int]], labels: list[int], iou_type: str
) -> Any:
    from pycocotools.cocoeval import COCOeval

    evaluation = COCOeval(gt.indexed(sizes, labels), pred.indexed(sizes, labels), iou_type)
    _silent(COCOeval.evaluate)(evaluation)
    _silent(COCOeval.accumulate)(evaluation)
    return evaluation


def _by_class(evaluation: Any, measure: str, iou: slice | int, area: int, max_dets: int) -> list[float]:
    """Average pycocotools' values for each class; it marks classes without objects with -1."""
    # Thresholds of the IoU × recalls × classes × areas × numbers of detections; the array of recall has no recall axis.
    found = evaluation.eval["precision" if measure == "ap" else "recall"]
    found = found[iou, ..., area, _MAX_DETS.index(max_dets)]
    found = found.reshape(-1, found.shape[-1])
    return [values.mean() if (values > -1).all() else np.nan for values in found.T]


def _silent(function: Any) -> Callable[..., Any]:
    """Return pycocotools' function without its prints. The original stays unchanged."""
    names = {**function.__globals__, "print": lambda *text: None}
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
