"""Boxes of objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import number

__all__: list[str] = []

Host = np.ndarray[Any, Any]


@operator("NonMaxSuppression", host=range(5))
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_boxes_per_class: Any = None,
    iou_threshold: Any = None,
    score_threshold: Any = None,
    *,
    center_point_box: int = 0,
) -> Any:
    """Non-maximum suppression per image and class: return rows of image, class, box.

    It runs on the host, and compares one box with all others at a time.
    """
    most = 0 if max_output_boxes_per_class is None else int(number(max_output_boxes_per_class))
    limit = 0.0 if iou_threshold is None else float(number(iou_threshold))
    least = -np.inf if score_threshold is None else float(number(score_threshold))
    found = []
    for image, (corners, of_classes) in enumerate(zip(_corners(boxes, center_point_box), scores, strict=True)):
        for kind, of_boxes in enumerate(of_classes):
            for box in _best(corners, of_boxes, most, limit, least):
                found.append((image, kind, box))
    return np.array(found, np.int64).reshape(-1, 3)


def _corners(boxes: Host, center_point_box: int) -> Host:
    """Convert boxes to their smaller and larger corner."""
    if center_point_box:
        center, size = boxes[..., :2], boxes[..., 2:]
        return np.concatenate([center - size / 2, center + size / 2], axis=-1)
    first, second = boxes[..., :2], boxes[..., 2:]
    return np.concatenate([np.minimum(first, second), np.maximum(first, second)], axis=-1)


def _best(corners: Host, scores: Host, most: int, limit: float, least: float) -> list[int]:
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > least]
    kept: list[int] = []
    areas = np.prod(corners[:, 2:] - corners[:, :2], axis=1)
    while len(order) and len(kept) < most:
        best, order = order[0], order[1:]
        kept.append(int(best))
        low = np.maximum(corners[best, :2], corners[order, :2])
        high = np.minimum(corners[best, 2:], corners[order, 2:])
        common = np.prod(np.maximum(0, high - low), axis=1)
        together = areas[best] + areas[order] - common
        order = order[common <= limit * together]
    return kept
