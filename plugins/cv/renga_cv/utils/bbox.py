"""Overlap of boxes, and non-maximum suppression.

A box is ``y_min, x_min, y_max, x_max``; its height is ``y_max - y_min``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend, to_host
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array, require_array
from renga_cv.utils.checks import require_boxes
from renga_cv.utils.suppression import areas, kept_boxes

__all__ = ["as_floats", "bbox_iou", "non_maximum_suppression"]

Host = np.ndarray[Any, Any]


def bbox_iou(bbox_a: Array, bbox_b: Array) -> Array:
    """Compute the intersection over union of each pair of boxes from two arrays.

    Args:
        bbox_a: Boxes ``(R, 4)``.
        bbox_b: Boxes ``(S, 4)`` of the same backend.

    Returns:
        Array ``(R, S)`` of floats from 0 to 1. Boxes without area have 0 with every box.

    Raises:
        InvalidType: An argument is not an array of boxes.

    >>> import numpy as np
    >>> bbox_iou(np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([[1.0, 0.0, 3.0, 2.0], [5.0, 5.0, 6.0, 6.0]])).tolist()
    [[0.3333333333333333, 0.0]]
    """
    require_boxes("bbox_iou", "bbox_a", bbox_a)
    require_boxes("bbox_iou", "bbox_b", bbox_b)
    xp = get_array_module(bbox_a)
    a, b = as_floats(bbox_a), as_floats(bbox_b)
    height = xp.minimum(a[:, 2, None], b[:, 2]) - xp.maximum(a[:, 0, None], b[:, 0])
    width = xp.minimum(a[:, 3, None], b[:, 3]) - xp.maximum(a[:, 1, None], b[:, 1])
    intersection = xp.maximum(height, 0) * xp.maximum(width, 0)
    return intersection / (areas(xp, a)[:, None] + areas(xp, b) - intersection)


def non_maximum_suppression(bbox: Array, thresh: float, score: Array | None = None, limit: int | None = None) -> Array:
    """Select boxes by non-maximum suppression: of overlapping boxes, keep the one with the highest score.

    Boxes are visited by descending score; of equal scores, the later box comes first. Each kept box drops later boxes
    whose intersection over union with it is `thresh` or more.

    Boxes of other backends than NumPy are copied to the host once; the result is copied back.

    Args:
        bbox: Boxes ``(R, 4)``.
        thresh: The threshold of the intersection over union, from 0 to 1.
        score: A number for each box, ``(R,)``. None: boxes are visited in the given order.
        limit: The largest number of boxes to keep. None: no limit.

    Returns:
        Indices of boxes, int32 ``(K,)``, by descending score.

    Raises:
        InvalidType: `bbox` is not an array of boxes, or `score` has another length.

    >>> import numpy as np
    >>> boxes = np.array([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 3.0], [5.0, 5.0, 6.0, 6.0]])
    >>> non_maximum_suppression(boxes, 0.5, np.array([0.6, 0.9, 0.7])).tolist()
    [1, 2]
    """
    require_boxes("non_maximum_suppression", "bbox", bbox)
    boxes = as_floats(bbox)
    if score is None:
        boxes = to_host(boxes)
        order = np.arange(len(boxes), dtype=np.int32)
    else:
        require_array("non_maximum_suppression", "score", score)
        if tuple(score.shape) != (len(boxes),):
            expected = f"scores ({len(boxes)},), one for each box"
            raise InvalidType("non_maximum_suppression", "score", expected, describe_array(score))
        scores = score if score.dtype.kind == "f" else score.astype("float64")
        # Copied together, so that the host waits for the device once.
        rows = to_host(get_array_module(boxes).concatenate([boxes, scores[:, None]], axis=1))
        order = np.argsort(rows[:, 4], kind="stable")[::-1].astype(np.int32)
        boxes = rows[:, :4].astype(boxes.dtype)
    kept = order[kept_boxes(boxes[order], np.array([0, len(boxes)]), thresh, limit)]
    backend = get_backend(bbox)
    return backend.asarray(kept, backend.device_index(bbox))


def as_floats(boxes: Array) -> Array:
    """Return boxes in single or double precision."""
    return boxes if boxes.dtype.kind == "f" and boxes.dtype.itemsize >= 4 else boxes.astype("float32")
