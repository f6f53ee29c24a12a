"""Shared code of the target creators: random sampling, and the nearest box."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import get_backend
from renga_core.random import generator
from renga_cv.utils.bbox import bbox_iou

__all__ = ["Host", "draw", "nearest"]

Host = np.ndarray[Any, Any]


def draw(candidates: Host, n: int) -> Host:
    """`n` random elements of `candidates` ``(K,)`` without replacement; all of them, in order, if there are no more."""
    if len(candidates) <= n:
        return candidates
    chosen: Host = generator(get_backend("numpy")).permutation(candidates)[:n]
    return chosen


def nearest(bbox: Host, targets: Host) -> tuple[Host, Host]:
    """For each box the target with the largest IoU: its number and the IoU, ``(R,)``; 0 without targets."""
    if not len(targets):
        return np.zeros(len(bbox), np.intp), np.zeros(len(bbox), bbox.dtype)
    iou = bbox_iou(bbox, targets)
    number = iou.argmax(axis=1)
    return number, np.take_along_axis(iou, number[:, None], axis=1)[:, 0]
