"""Average precision of detections, as PASCAL VOC defines it."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.evaluations.images import Each, mean_of_known, side_by_side
from renga_cv.evaluations.voc_matching import Curves, Host, Image, precision_and_recall
from renga_cv.utils.bbox import bbox_iou

__all__ = ["calc_detection_voc_ap", "calc_detection_voc_prec_rec", "eval_detection_voc"]

_RECALLS = 0.1 * np.arange(11)


def eval_detection_voc(
    pred_bboxes: Each,
    pred_labels: Each,
    pred_scores: Each,
    gt_bboxes: Each,
    gt_labels: Each,
    gt_difficults: Each | None = None,
    iou_thresh: float = 0.5,
    use_07_metric: bool = False,
) -> dict[str, Any]:
    """Compute the average precision of each class, and the mean. For the arguments, see `calc_detection_voc_prec_rec`.

    Args:
        use_07_metric: Compute it as VOC 2007 did; see `calc_detection_voc_ap`.

    Returns:
        ``ap``: an array with one value per class up to the largest label, NaN for classes without objects; ``map``: the
        mean over the other classes.

    Raises:
        ValueError: See `calc_detection_voc_prec_rec`.

    Example:
        >>> import numpy as np
        >>> box, one = np.array([[0.0, 0.0, 9.0, 9.0]]), np.array([1])
        >>> eval_detection_voc([box], [one], [np.array([0.8])], [box], [one])
        {'ap': array([nan,  1.]), 'map': np.float64(1.0)}
    """
    prec, rec = calc_detection_voc_prec_rec(
        pred_bboxes, pred_labels, pred_scores, gt_bboxes, gt_labels, gt_difficults, iou_thresh
    )
    ap = calc_detection_voc_ap(prec, rec, use_07_metric)
    return {"ap": ap, "map": mean_of_known(ap)}


def calc_detection_voc_prec_rec(
    pred_bboxes: Each,
    pred_labels: Each,
    pred_scores: Each,
    gt_bboxes: Each,
    gt_labels: Each,
    gt_difficults: Each | None = None,
    iou_thresh: float = 0.5,
) -> Curves:
    """Compute the precision-recall curve of each class; see `voc_matching.precision_and_recall`.

    As in VOC, a box includes the pixels on all its edges: its sides are 1 longer than the coordinates' difference.

    Args:
        pred_bboxes: For each image, boxes ``(R, 4)``; a list or a generator, like all other arguments.
        pred_labels: The classes of the boxes ``(R,)``, from 0.
        pred_scores: The scores of the boxes ``(R,)``.
        gt_bboxes: The true boxes.
        gt_labels: The true classes.
        gt_difficults: Whether each true box is difficult, bool. None: none are.
        iou_thresh: Smallest IoU of a hit.

    Returns:
        ``(prec, rec)``: two lists with an array or None for each class.

    Raises:
        ValueError: The arguments differ in length, or shapes do not match.
    """
    images = side_by_side(
        pred_bboxes=pred_bboxes,
        pred_labels=pred_labels,
        pred_scores=pred_scores,
        gt_bboxes=gt_bboxes,
        gt_labels=gt_labels,
        gt_difficults=gt_difficults,
    )
    return precision_and_recall(
        (
            Image(np.asarray(pred, np.float64), pred_label, pred_score, np.asarray(gt, np.float64), gt_label, difficult)
            for pred, pred_label, pred_score, gt, gt_label, difficult in images
        ),
        _iou_with_edges,
        iou_thresh,
    )


def calc_detection_voc_ap(prec: list[Any], rec: list[Any], use_07_metric: bool = False) -> Host:
    """Compute the average precision of each class.

    By default it is the area under the precision-recall curve, with precision made non-increasing. The metric of VOC
    2007 is the mean, over the recalls 0, 0.1 … 1, of the highest precision at this recall or above.

    Args:
        prec: Precision of each class, an array or None, from `calc_detection_voc_prec_rec`. NaN counts as 0.
        rec: Recall, likewise.
        use_07_metric: Compute it as VOC 2007 did.

    Returns:
        Array with one value per class; NaN where `prec` or `rec` is None.
    """
    average = _average_of_11_points if use_07_metric else _area
    return np.array(
        [np.nan if p is None or r is None else average(np.nan_to_num(p), r) for p, r in zip(prec, rec, strict=True)]
    )


def _average_of_11_points(prec: Host, rec: Host) -> float:
    # 3 * 0.1 > 0.3, as in VOC's program: three of ten objects do not reach this recall.
    return float(np.mean([prec[rec >= recall].max(initial=0) for recall in _RECALLS]))


def _area(prec: Host, rec: Host) -> float:
    falling = np.maximum.accumulate(prec[::-1])[::-1]
    return float(np.sum(np.diff(rec, prepend=0) * falling))


def _iou_with_edges(pred: Host, gt: Host) -> Host:
    one: Any = np.array([0, 0, 1, 1])
    iou: Host = bbox_iou(pred + one, gt + one)
    return iou
