"""Match predictions with objects, as PASCAL VOC does; objects can have any shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from renga_cv.evaluations.images import checked_label, checked_score

__all__ = ["HIT", "IGNORED", "MISS", "Curves", "Image", "precision_and_recall"]

HIT, MISS, IGNORED = 1, 0, -1

Host = np.ndarray[Any, Any]
Curves = tuple[list[Host | None], list[Host | None]]
"""Lists of precision and recall of each class; see `precision_and_recall`."""


class Image(NamedTuple):
    """Predictions and ground truth of an image; `pred` and `gt` have one entry per object."""

    pred: Host
    pred_label: Any
    pred_score: Any
    gt: Host
    gt_label: Any
    gt_difficult: Any


def precision_and_recall(images: Iterable[Image], iou: Callable[[Host, Host], Host], iou_thresh: float) -> Curves:
    """Compute the precision-recall curve of each class.

    In an image, predictions are visited by descending score. Each is assigned to the object of its class with the
    highest IoU, if it is `iou_thresh` or more. The first prediction assigned to an object is a hit. Difficult objects,
    and predictions assigned to them, are ignored.

    Predictions with equal scores keep their order, within and across images.

    Args:
        images: Predictions and ground truth.
        iou: Computes the IoU of P predictions with G objects, ``(P, G)``.
        iou_thresh: Smallest IoU of a hit.

    Returns:
        ``(prec, rec)``: lists with an entry for each class up to the largest label: an array with one value per
        prediction of the class, or None if the class is neither predicted nor true. `rec` is also None for a class
        without objects that are not difficult.

    Source: M. Everingham et al., *The PASCAL Visual Object Classes (VOC) Challenge*, 2010, section 4.2, and the
    challenge's development kit.
    """
    objects: dict[int, int] = {}
    scores: dict[int, list[Host]] = {}
    matches: dict[int, list[Host]] = {}
    for number, image in enumerate(images):
        pred_label = checked_label("pred_labels", image.pred_label, len(image.pred), number)
        pred_score = checked_score("pred_scores", image.pred_score, len(image.pred), number)
        gt_label = checked_label("gt_labels", image.gt_label, len(image.gt), number)
        difficult = _difficult(image.gt_difficult, len(image.gt), number)
        for label in np.union1d(pred_label, gt_label).astype(int).tolist():
            of_pred, of_gt = pred_label == label, gt_label == label
            order = np.argsort(-pred_score[of_pred], kind="stable")
            of_class = difficult[of_gt]
            match = np.full(len(order), MISS, np.int8)
            if order.size and of_class.size:
                overlaps = iou(image.pred[of_pred][order], image.gt[of_gt])
                _match(match, overlaps, of_class, iou_thresh)
            objects[label] = objects.get(label, 0) + int((~of_class).sum())
            scores.setdefault(label, []).append(pred_score[of_pred][order])
            matches.setdefault(label, []).append(match)

    count = max(objects, default=-1) + 1
    prec: list[Host | None] = [None] * count
    rec: list[Host | None] = [None] * count
    for label, number_of_objects in objects.items():
        order = np.argsort(-np.concatenate(scores[label]), kind="stable")
        match = np.concatenate(matches[label])[order]
        hits, misses = np.cumsum(match == HIT), np.cumsum(match == MISS)
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: all predictions so far are ignored
            prec[label] = hits / (hits + misses)
        if number_of_objects:
            rec[label] = hits / number_of_objects
    return prec, rec


def _match(match: Host, overlaps: Host, difficult: Host, iou_thresh: float) -> None:
    """Mark hits and ignored predictions, given the IoU of predictions (by descending score) with objects."""
    best = overlaps.argmax(axis=1)
    taken = np.zeros(len(difficult), bool)
    for i in np.flatnonzero(overlaps.max(axis=1) >= iou_thresh).tolist():
        which = best[i]
        if difficult[which]:
            match[i] = IGNORED
        elif not taken[which]:
            match[i] = HIT
        taken[which] = True


def _difficult(given: Any, count: int, image: int) -> Host:
    difficult = np.zeros(count, bool) if given is None else np.asarray(given, bool)
    if difficult.shape != (count,):
        raise ValueError(
            f"gt_difficults of image {image}: shape {difficult.shape}; expected ({count},), one for each object"
        )
    return difficult
