"""Metrics of semantic segmentation."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.evaluations.images import Each, mean_of_known, side_by_side

__all__ = ["calc_semantic_segmentation_confusion", "calc_semantic_segmentation_iou", "eval_semantic_segmentation"]

Host = np.ndarray[Any, Any]


def eval_semantic_segmentation(pred_labels: Each, gt_labels: Each) -> dict[str, Any]:
    """Compute intersection over union and accuracy, of each class and as means. For the arguments, see
    `calc_semantic_segmentation_confusion`.

    Returns:
        ``iou`` and ``class_accuracy`` (the fraction of a class's pixels predicted correctly): arrays with one value per
        class, NaN for classes without pixels. ``miou`` and ``mean_class_accuracy``: the means over all classes with
        pixels.
        ``pixel_accuracy``: the fraction of all pixels predicted correctly.

    Raises:
        ValueError: See `calc_semantic_segmentation_confusion`.

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
    """Count pixels by true and predicted class (confusion matrix).

    Args:
        pred_labels: For each image, the predicted class of each pixel: integers ``(H, W)`` from 0. A list or generator,
            like `gt_labels`.
        gt_labels: The true classes; negative pixels are ignored.

    Returns:
        int64 ``(C, C)``: rows are true classes, columns predicted classes, up to the largest label of a counted pixel.

    Raises:
        ValueError: The arguments differ in length, shapes differ, or the prediction for a counted pixel is negative.

    >>> import numpy as np
    >>> calc_semantic_segmentation_confusion([np.array([[0, 1]])], [np.array([[0, 0]])]).tolist()
    [[1, 1], [0, 0]]
    """
    confusion = np.zeros((0, 0), np.int64)
    for number, labels in enumerate(side_by_side(pred_labels=pred_labels, gt_labels=gt_labels)):
        pred, gt = (np.asarray(label) for label in labels)
        if gt.ndim != 2 or pred.shape != gt.shape:
            raise ValueError(
                f"image {number}: prediction and ground truth must have the same shape (H, W), not {pred.shape} and "
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
    """Compute the intersection over union of each class from a confusion matrix.

    Args:
        confusion: From `calc_semantic_segmentation_confusion`, ``(C, C)``.

    Returns:
        Array ``(C,)``; NaN for a class that is neither true nor predicted anywhere.
    """
    right = np.diag(confusion)
    return _shares(right, confusion.sum(axis=1) + confusion.sum(axis=0) - right)


def _shares(part: Any, whole: Any) -> Host:
    """Return part / whole; NaN, without a warning, where whole is 0."""
    shares = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=shares, where=np.asarray(whole) > 0)
    return shares
