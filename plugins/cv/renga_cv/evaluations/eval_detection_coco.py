"""Average precision and recall of detections, as of COCO."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.evaluations.coco_tools import Annotations, evaluated
from renga_cv.evaluations.images import Each, checked_label, checked_score, side_by_side

__all__ = ["eval_detection_coco"]


def eval_detection_coco(
    pred_bboxes: Each,
    pred_labels: Each,
    pred_scores: Each,
    gt_bboxes: Each,
    gt_labels: Each,
    gt_areas: Each | None = None,
    gt_crowdeds: Each | None = None,
) -> dict[str, Any]:
    """Average precision and recall of detections, as COCO computes them. Needs pycocotools.

    Args:
        pred_bboxes: For each image, boxes ``(R, 4)``; a list, or a generator, as all that follow.
        pred_labels: Their classes ``(R,)``, from 0.
        pred_scores: Their scores ``(R,)``.
        gt_bboxes: The boxes of the ground truth.
        gt_labels: Their classes.
        gt_areas: Their areas in pixels, as COCO's files have them (of the object, not of its box). With these, small
            objects (less than 32² pixels), medium and large ones (more than 96²) are also evaluated by themselves.
        gt_crowdeds: Which of them are crowds: booleans. Predictions in a crowd count neither way. None: none is.

    Returns:
        ``ap/iou=0.50:0.95/area=all/max_dets=100``, the same with ``iou=0.50`` and ``iou=0.75``,
        ``ar/iou=0.50:0.95/area=all/max_dets=1`` (10, 100): arrays with a number for each class up to the largest label,
        NaN for classes without objects. With `gt_areas` also ``area=small``, ``medium`` and ``large``. The mean of each
        over the classes is under its name with an ``m`` before it: ``map/…``, ``mar/…``. ``existent_labels``: the
        classes that are predicted or true. ``coco_eval``: the object of pycocotools that has all the details, None if
        there is no such class.

    Raises:
        RengaError: pycocotools is not installed.
        ValueError: There is not one of each for every image, or shapes do not belong together.

    Source: T.-Y. Lin et al., *Microsoft COCO: Common Objects in Context*, 2014, and the program that goes with it.
    """
    pred, gt = Annotations("eval_detection_coco"), Annotations("eval_detection_coco")
    images = side_by_side(
        pred_bboxes=pred_bboxes,
        pred_labels=pred_labels,
        pred_scores=pred_scores,
        gt_bboxes=gt_bboxes,
        gt_labels=gt_labels,
        gt_areas=gt_areas,
        gt_crowdeds=gt_crowdeds,
    )
    sizes = []
    for i, (pred_bbox, pred_label, pred_score, gt_bbox, gt_label, gt_area, gt_crowded) in enumerate(images):
        sizes.append((0, 0))  # not used for boxes
        pred_label = checked_label("pred_labels", pred_label, len(pred_bbox), i)
        pred_score = checked_score("pred_scores", pred_score, len(pred_bbox), i)
        gt_label = checked_label("gt_labels", gt_label, len(gt_bbox), i)
        boxes = _as_coco(gt_bbox)
        areas = [w * h for _, _, w, h in boxes] if gt_area is None else np.asarray(gt_area, float).tolist()
        crowded = [False] * len(boxes) if gt_crowded is None else np.asarray(gt_crowded, bool).tolist()
        for box, label, score in zip(_as_coco(pred_bbox), pred_label.tolist(), pred_score.tolist(), strict=True):
            pred.add(i, label, box[2] * box[3], {"bbox": box}, score=score)
        for box, label, area, crowd in zip(boxes, gt_label.tolist(), areas, crowded, strict=True):
            gt.add(i, label, area, {"bbox": box}, iscrowd=int(crowd))
    return evaluated(pred, gt, sizes, "bbox", by_area=gt_areas is not None)


def _as_coco(bbox: Any) -> list[list[float]]:
    """Boxes as x, y, width and height."""
    y_min, x_min, y_max, x_max = np.asarray(bbox, np.float64).reshape(-1, 4).T
    boxes: list[list[float]] = np.stack([x_min, y_min, x_max - x_min, y_max - y_min], axis=1).tolist()
    return boxes
