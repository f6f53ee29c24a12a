"""Average precision and recall of detections, as COCO defines them."""

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
        pred_bboxes: For each image, boxes ``(R, 4)``; a list or a generator, like all other arguments.
        pred_labels: The classes of the boxes ``(R,)``, from 0.
        pred_scores: The scores of the boxes ``(R,)``.
        gt_bboxes: The true boxes.
        gt_labels: The true classes.
        gt_areas: Areas in pixels of the true objects (not of their boxes), as in COCO's files. If given, small objects
            (below 32² pixels), medium and large objects (above 96²) are also evaluated separately.
        gt_crowdeds: Whether each true object is a crowd, bool. Predictions in a crowd are ignored. None: no crowds.

    Returns:
        ``ap/iou=0.50:0.95/area=all/max_dets=100``, the same with ``iou=0.50`` and ``iou=0.75``, and
        ``ar/iou=0.50:0.95/area=all/max_dets=1`` (10, 100): arrays with one value per class up to the largest label, NaN
        for classes without objects. With `gt_areas` also ``area=small``, ``medium`` and ``large``. Means over classes
        have names with a leading ``m``: ``map/…``, ``mar/…``. ``existent_labels``: the predicted or true classes.
        ``coco_eval``: the object of pycocotools with all details, or None if no class occurs.

    Raises:
        RengaError: pycocotools is not installed.
        ValueError: The arguments differ in length, or shapes do not match.

    Source: T.-Y. Lin et al., *Microsoft COCO: Common Objects in Context*, 2014, and its program.
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
    """Convert boxes to x, y, width and height."""
    y_min, x_min, y_max, x_max = np.asarray(bbox, np.float64).reshape(-1, 4).T
    boxes: list[list[float]] = np.stack([x_min, y_min, x_max - x_min, y_max - y_min], axis=1).tolist()
    return boxes
