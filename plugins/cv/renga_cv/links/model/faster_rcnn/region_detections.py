"""From boxes for each region and class to objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_cv.utils.bbox import non_maximum_suppression

__all__ = ["suppress"]

Host = np.ndarray[Any, Any]


def suppress(bbox: Host, score: Host, candidate: Host, nms_thresh: float) -> tuple[Host, Host, Host]:
    """Of the candidates of each class, those that overlap no better one by `nms_thresh` or more.

    Args:
        bbox: A box for each region and class, float32 ``(R, n_class, 4)``; class 0 is the background.
        score: The score of each, float32 ``(R, n_class)``.
        candidate: Which are looked at, bool ``(R, n_class)``.
        nms_thresh: IoU from which the worse of two boxes is dropped.

    Returns:
        `bbox` float32 ``(R', 4)``, `label` int32 ``(R',)`` without the background, from 0, and `score` float32
        ``(R',)``: class by class, best first.
    """
    regions, classes = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    for number in 1 + np.flatnonzero(candidate[:, 1:].any(axis=0)):
        region = np.flatnonzero(candidate[:, number])
        region = region[non_maximum_suppression(bbox[region, number], nms_thresh, score[region, number])]
        regions.append(region)
        classes.append(np.full(len(region), number))
    chosen = np.concatenate(regions), np.concatenate(classes)
    return bbox[chosen], (chosen[1] - 1).astype(np.int32), score[chosen]
