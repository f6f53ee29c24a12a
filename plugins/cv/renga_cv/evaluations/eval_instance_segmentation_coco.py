"""Average precision and recall of instance segmentation, as COCO defines them."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.evaluations.coco_tools import Annotations, evaluated
from renga_cv.evaluations.images import Each, checked_label, checked_score, side_by_side

__all__ = ["eval_instance_segmentation_coco"]


def eval_instance_segmentation_coco(
    pred_masks: Each,
    pred_labels: Each,
    pred_scores: Each,
    gt_masks: Each,
    gt_labels: Each,
    gt_areas: Each | None = None,
    gt_crowdeds: Each | None = None,
) -> dict[str, Any]:
    """Average precision and recall of instance segmentation, as COCO computes them. Needs pycocotools.

    Args:
        pred_masks: For each image, masks of instances: bool ``(R, H, W)``; a list or a generator, like all other
            arguments.
        pred_labels: The classes of the masks ``(R,)``, from 0.
        pred_scores: The scores of the masks ``(R,)``.
        gt_masks: The true masks.
        gt_labels: The true classes.
        gt_areas: Areas in pixels of the true objects. If given, small objects (below 32² pixels), medium and large
            objects (above 96²) are also evaluated separately.
        gt_crowdeds: Whether each true object is a crowd, bool. Predictions in a crowd are ignored. None: no crowds.

    Returns:
        See `eval_detection_coco`.

    Raises:
        RengaError: pycocotools is not installed.
        ValueError: The arguments differ in length, or shapes do not match.

    Source: T.-Y. Lin et al., *Microsoft COCO: Common Objects in Context*, 2014, and its program.
    """
    asker = "eval_instance_segmentation_coco"
    pred, gt = Annotations(asker), Annotations(asker)
    images = side_by_side(
        pred_masks=pred_masks,
        pred_labels=pred_labels,
        pred_scores=pred_scores,
        gt_masks=gt_masks,
        gt_labels=gt_labels,
        gt_areas=gt_areas,
        gt_crowdeds=gt_crowdeds,
    )
    sizes = []
    for i, (pred_mask, pred_label, pred_score, gt_mask, gt_label, gt_area, gt_crowded) in enumerate(images):
        pred_mask, gt_mask = np.asarray(pred_mask, bool), np.asarray(gt_mask, bool)
        if pred_mask.ndim != 3 or gt_mask.ndim != 3 or pred_mask.shape[1:] != gt_mask.shape[1:]:
            raise ValueError(
                f"image {i}: masks are (R, H, W), with the size of the image; "
                f"those predicted are {pred_mask.shape}, those of the ground truth {gt_mask.shape}"
            )
        sizes.append(gt_mask.shape[1:])
        pred_label = checked_label("pred_labels", pred_label, len(pred_mask), i)
        pred_score = checked_score("pred_scores", pred_score, len(pred_mask), i)
        gt_label = checked_label("gt_labels", gt_label, len(gt_mask), i)
        areas = _areas(gt_mask) if gt_area is None else np.asarray(gt_area, float).tolist()
        crowded = [False] * len(gt_mask) if gt_crowded is None else np.asarray(gt_crowded, bool).tolist()
        for mask, label, area, score in zip(
            pred_mask, pred_label.tolist(), _areas(pred_mask), pred_score.tolist(), strict=True
        ):
            pred.add(i, label, area, _as_coco(mask), score=score)
        for mask, label, area, crowd in zip(gt_mask, gt_label.tolist(), areas, crowded, strict=True):
            gt.add(i, label, area, _as_coco(mask), iscrowd=int(crowd))
    return evaluated(pred, gt, sizes, "segm", by_area=gt_areas is not None)


def _areas(mask: Any) -> list[float]:
    areas: list[float] = mask.sum(axis=(1, 2), dtype=float).tolist()
    return areas


def _as_coco(mask: Any) -> dict[str, Any]:
    """Encode a mask as run lengths."""
    from pycocotools.mask import encode

    return {"segmentation": encode(np.asfortranarray(mask, np.uint8))}
