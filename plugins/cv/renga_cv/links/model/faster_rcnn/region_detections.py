"""Convert boxes for each region and class to objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.links.model.detections import chosen_of_each_class

__all__ = ["suppress"]

Host = np.ndarray[Any, Any]


def suppress(bbox: Host, score: Host, candidate: Host, nms_thresh: float) -> tuple[Host, Host, Host]:
    """The candidates of each class after non-maximum suppression.

    Args:
        bbox: A box for each region and class, float32 ``(R, n_class, 4)``; class 0 is the background.
        score: The score of each, float32 ``(R, n_class)``.
        candidate: Which entries are considered, bool ``(R, n_class)``.
        nms_thresh: Smallest IoU at which the worse of two boxes is dropped.

    Returns:
        `bbox` float32 ``(R', 4)``, `label` int32 ``(R',)`` without the background, from 0, and `score` float32
        ``(R',)``: class by class, best first.
    """
    region, label = chosen_of_each_class(bbox[:, 1:], score[:, 1:], candidate[:, 1:], nms_thresh)
    return bbox[region, label + 1], label, score[region, label + 1]
