"""Shared code of one-stage detectors: rows of boxes, and the selection of boxes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from renga_core.graph import Variable
from renga_core.graph.operators import reshape, transpose
from renga_cv.utils.bbox import as_floats
from renga_cv.utils.suppression import kept_boxes

__all__ = ["best_of_each_class", "by_box", "chosen_of_each_class", "thresholds"]

Host = np.ndarray[Any, Any]


def by_box(maps: Variable, n: int) -> Variable:
    """Maps ``(N, boxes * n, H, W)``, with `n` numbers for each box in a cell, as rows ``(N, H * W * boxes, n)``."""
    return reshape(transpose(maps, (0, 2, 3, 1)), (maps.shape[0], -1, n))


def best_of_each_class(
    bbox: Host, probability: Host, nms_thresh: float, score_thresh: float
) -> tuple[Host, Host, Host]:
    """Select the probable boxes of each class, with non-maximum suppression.

    Args:
        bbox: Boxes ``(K, 4)``, one for all classes.
        probability: The probability of each class for each box, ``(K, n_class)``.
        nms_thresh: If boxes of one class overlap by this IoU or more, only the best one is kept.
        score_thresh: The smallest probability of a box.

    Returns:
        Boxes, float32 ``(R, 4)``; classes, int32 ``(R,)``; probabilities, float32 ``(R,)``. Ordered by class, and then
        from the most probable on.
    """
    row, column = chosen_of_each_class(bbox, probability, probability >= score_thresh, nms_thresh)
    return bbox[row].astype(np.float32), column, probability[row, column].astype(np.float32)


def chosen_of_each_class(bbox: Host, score: Host, candidate: Host, nms_thresh: float) -> tuple[Host, Host]:
    """The candidates of each class after non-maximum suppression.

    Args:
        bbox: A box for all classes, ``(K, 4)``, or one for each, ``(K, n_class, 4)``.
        score: The score of each class for each box, ``(K, n_class)``.
        candidate: Which entries are considered, bool ``(K, n_class)``.
        nms_thresh: Smallest IoU at which the worse of two boxes is dropped.

    Returns:
        Numbers of boxes, int64 ``(R,)``, and of classes, int32 ``(R,)``: class by class, best first.
    """
    label, row = np.nonzero(candidate.T)
    scores, bounds = score[row, label], np.searchsorted(label, np.arange(candidate.shape[1] + 1))
    # Within a class from the highest score on; of equal scores, the last box first.
    order = [start + np.argsort(scores[start:stop], kind="stable")[::-1] for start, stop in pairwise(bounds.tolist())]
    row = row[np.concatenate([row[:0], *order])]
    kept = kept_boxes(as_floats(bbox[row] if bbox.ndim == 2 else bbox[row, label]), bounds, nms_thresh)
    return row[kept], label[kept].astype(np.int32)


def thresholds(preset: str, presets: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    """The thresholds of NMS and of scores, by the name of a preset.

    Raises:
        ValueError: The preset is unknown.
    """
    if preset not in presets:
        raise ValueError(f"there is no preset {preset!r}; choose from {', '.join(map(repr, presets))}")
    return presets[preset]
