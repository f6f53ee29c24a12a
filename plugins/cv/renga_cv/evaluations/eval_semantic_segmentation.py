"""How well the class of each pixel is predicted."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.evaluations.images import Each, mean_of_known, side_by_side

__all__ = ["calc_semantic_segmentation_confusion", "calc_semantic_segmentation_iou", "eval_semantic_segmentation"]

Host = np.ndarray[Any, Any]


def eval_semantic_segmentation(pred_labels: Each, gt_labels: Each) -> dict[str, Any]:
    """Intersection over union and accuracy, of each class and as means. The arguments are as of
    `calc_semantic_segmentation_confusion`.

    Returns:
        ``iou`` and ``class_accuracy`` (the share of a class's pixels that are predicted to be of it): arrays with a
        number for each class, NaN where there is no pixel to count; ``miou`` and ``mean_class_accuracy``: the means of
        those that are numbers; ``pixel_accuracy``: the share of all pixels that are predicted right.

    Raises:
        ValueError: As `calc_semantic_segmentation_confusion`.

    Source: J. Long et al., *Fully Convolutional Networks for Semantic Segmentation*, 2015, section 5.

    >>> import numpy as np
    >>> eval_semantic_segmentation([np.array([[0, 1]])], [np.array([[0, 1]])])["miou"]
    np.float64(1.0)
    """
    confusion = calc_semantic_segmentation_confusion(pred_labels, gt_labels)
    iou = calc_semantic_segmentation_iou(confusion)
    right = np.diag(confusion)
    class_accuracy = _shares(right, confusion.sum(axis=1))
    return {
        "iou": iou,
        "miou": mean_of_known(iou),
        "pixel_accuracy": _shares(right.sum(), confusion.sum())[()],
        "class_accuracy": class_accuracy,
        "mean_class_accuracy": mean_of_known(class_accuracy),
    }


def calc_semantic_segmentation_confusion(pred_labels: Each, gt_labels: Each) -> Host:
    """How many pixels of each class are predicted to be of each class.

    Args:
        pred_labels: For each image, the predicted class of each pixel: integers ``(H, W)`` from 0. A list, or a
            generator, as what follows.
        gt_labels: The true classes; pixels that are negative are not counted.

    Returns:
        int64 ``(C, C)``: the rows are the true classes, the columns the predicted ones, up to the largest label of a
        pixel that counts.

    Raises:
        ValueError: There is not one of each for every image, shapes differ, or the prediction for a pixel that counts
            is negative.

    >>> import numpy as np
    >>> calc_semantic_segmentation_confusion([np.array([[0, 1]])], [np.array([[0, 0]])]).tolist()
    [[1, 1], [0, 0]]
    """
    confusion = np.zeros((0, 0), np.int64)
    for number, labels in enumerate(side_by_side(pred_labels=pred_labels, gt_labels=gt_labels)):
        pred, gt = (np.asarray(label) for label in labels)
        if gt.ndim != 2 or pred.shape != gt.shape:
            raise ValueError(
                f"image {number}: a prediction and the ground truth have one shape, (H, W), not {pred.shape} and "
                f"{gt.shape}"
            )
        counts = gt >= 0
        pred, gt = pred[counts].astype(np.int64), gt[counts].astype(np.int64)
        if (pred < 0).any():
            raise ValueError(f"image {number}: a pixel is predicted to be of class {pred.min()}; classes count from 0")
        size = max(len(confusion), pred.max(initial=-1) + 1, gt.max(initial=-1) + 1)
        confusion = np.pad(confusion, (0, size - len(confusion)))
        confusion += np.bincount(size * gt + pred, minlength=size * size).reshape(size, size)
    return confusion


def calc_semantic_segmentation_iou(confusion: Host) -> Host:
    """Intersection over union of each class, from the pixels that have it and those that are predicted to have it.

    Args:
        confusion: From `calc_semantic_segmentation_confusion`, ``(C, C)``.

    Returns:
        Array ``(C,)``; NaN for a class that is neither there nor predicted.
    """
    right = np.diag(confusion)
    return _shares(right, confusion.sum(axis=1) + confusion.sum(axis=0) - right)


def _shares(part: Any, whole: Any) -> Host:
    """Part / whole; NaN, without a warning, where the whole is nothing."""
    shares = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=shares, where=np.asarray(whole) > 0)
    return shares
