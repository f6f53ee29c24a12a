"""Average precision of instance segmentation, as PASCAL VOC defines it."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.evaluations.eval_detection_voc import calc_detection_voc_ap
from renga_cv.evaluations.images import Each, mean_of_known, side_by_side
from renga_cv.evaluations.voc_matching import Curves, Image, precision_and_recall
from renga_cv.utils.mask import mask_iou

__all__ = ["calc_instance_segmentation_voc_prec_rec", "eval_instance_segmentation_voc"]


def eval_instance_segmentation_voc(
    pred_masks: Each,
    pred_labels: Each,
    pred_scores: Each,
    gt_masks: Each,
    gt_labels: Each,
    iou_thresh: float = 0.5,
    use_07_metric: bool = False,
) -> dict[str, Any]:
    """Average precision of each class, and the mean. For the arguments, see `calc_instance_segmentation_voc_prec_rec`.

    Args:
        use_07_metric: Compute it as VOC 2007 did; see `calc_detection_voc_ap`.

    Returns:
        ``ap``: an array with one value per class up to the largest label, NaN for classes without objects; ``map``: the
        mean over the other classes.

    Raises:
        ValueError: See `calc_instance_segmentation_voc_prec_rec`.
    """
    prec, rec = calc_instance_segmentation_voc_prec_rec(
        pred_masks, pred_labels, pred_scores, gt_masks, gt_labels, iou_thresh
    )
    ap = calc_detection_voc_ap(prec, rec, use_07_metric)
    return {"ap": ap, "map": mean_of_known(ap)}


def calc_instance_segmentation_voc_prec_rec(
    pred_masks: Each,
    pred_labels: Each,
    pred_scores: Each,
    gt_masks: Each,
    gt_labels: Each,
    iou_thresh: float,
) -> Curves:
    """Compute the precision-recall curve of each class; see `voc_matching.precision_and_recall`.

    Args:
        pred_masks: For each image, masks of instances: bool ``(R, H, W)``; a list or a generator, like all other
            arguments.
        pred_labels: The classes of the masks ``(R,)``, from 0.
        pred_scores: The scores of the masks ``(R,)``.
        gt_masks: The true masks.
        gt_labels: The true classes.
        iou_thresh: Smallest IoU of a hit.

    Returns:
        ``(prec, rec)``: two lists with an array or None for each class.

    Raises:
        ValueError: The arguments differ in length, or shapes do not match.

    Source: B. Hariharan et al., *Simultaneous Detection and Segmentation*, 2014.
    """
    images = side_by_side(
        pred_masks=pred_masks, pred_labels=pred_labels, pred_scores=pred_scores, gt_masks=gt_masks, gt_labels=gt_labels
    )
    return precision_and_recall(
        (
            Image(np.asarray(pred, bool), pred_label, pred_score, np.asarray(gt, bool), gt_label, None)
            for pred, pred_label, pred_score, gt, gt_label in images
        ),
        mask_iou,
        iou_thresh,
    )
