"""The objects of one image, as the method `detect` of detectors returns them."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_cv.functions.detection.choosing import best_of_each_class

__all__ = ["objects", "one_image"]


def objects(
    boxes: Any, scores: Any, nms_thresh: float, score_thresh: float, strict: bool = False
) -> dict[str, Variable]:
    """The boxes that `best_of_each_class` selects, with their classes and scores.

    Args:
        boxes, scores, nms_thresh, score_thresh, strict: See `best_of_each_class`.

    Returns:
        `boxes` ``(R, 4)``, `labels` int32 ``(R,)``, `scores` ``(R,)``.
    """
    rows, labels = best_of_each_class(boxes, scores, nms_thresh, score_thresh, strict)
    row, label = rows.array, labels.array
    chosen = boxes[row] if boxes.ndim == 2 else boxes[row, label]
    return {"boxes": chosen, "labels": labels, "scores": scores[row, label]}


def one_image(image: Any) -> Any:
    """Return `image` if it is a batch of one.

    Raises:
        ValueError: It is not.
    """
    if image.shape[0] != 1:
        raise ValueError(f"detect takes one image, (1, 3, H, W), not {tuple(image.shape)}")
    return image
