"""Non-maximum suppression in groups of boxes: operation ``non_maximum_suppression``, and its reference.

A group is, for example, the boxes of one class, or of one level of a feature pyramid. Boxes are on the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from renga_core.backend import get_backend
from renga_core.kernel import Operation, Sample

__all__ = ["NON_MAXIMUM_SUPPRESSION", "areas", "kept_boxes"]

Host = np.ndarray[Any, Any]

_FIRST_BLOCK = 16
_LARGEST_BLOCK = 64  # 64 rows of 10,000 floats fit in a core's cache


def kept_boxes(boxes: Host, bounds: Host, thresh: float, limit: int | None = None) -> Host:
    """Return the boxes that no earlier kept box of their group overlaps by `thresh` or more.

    Args:
        boxes: Floats ``(K, 4)``, group after group, the best box of each group first.
        bounds: Integers ``(groups + 1,)``: where groups begin; the last one is K.
        thresh: The threshold of the intersection over union.
        limit: The largest number of boxes to keep in each group. None: no limit.

    Returns:
        Indices, int64, ascending.
    """
    args = np.ascontiguousarray(boxes), bounds, float(thresh), len(boxes) if limit is None else limit
    # A box with huge or infinite sides has IoU NaN, and drops no other box.
    with np.errstate(over="ignore", invalid="ignore"):
        dropped = NON_MAXIMUM_SUPPRESSION.select(get_backend(boxes), *args).forward(*args)
    return np.flatnonzero(~dropped)


def areas(xp: Any, boxes: Any) -> Any:
    """Return the area of each box, ``(R,)``, at least the smallest positive number, to allow division."""
    area = xp.maximum(boxes[:, 2] - boxes[:, 0], 0) * xp.maximum(boxes[:, 3] - boxes[:, 1], 0)
    return xp.maximum(area, float(np.finfo(boxes.dtype).tiny))


def _dropped(boxes: Host, bounds: Host, thresh: float, limit: int) -> Host:
    """Which boxes are dropped.

    Args:
        boxes: Floats ``(K, 4)``, group after group, the best box of each group first.
        bounds: Integers ``(groups + 1,)``.
        thresh: Smallest intersection over union at which a kept box drops later boxes of its group.
        limit: The largest number of boxes to keep in each group.

    Returns:
        bool ``(K,)``.
    """
    dropped = np.ones(len(boxes), bool)
    for start, stop in pairwise(bounds.tolist()):
        dropped[start + _first_of_overlapping(boxes[start:stop], thresh, limit)] = False
    return dropped


def _first_of_overlapping(boxes: Host, thresh: float, limit: int) -> Host:
    """Return the first `limit` boxes that no earlier kept box overlaps.

    Works in blocks of the remaining boxes: finds the kept boxes of a block, then drops later boxes that overlap them.
    The first blocks are small, since the best boxes drop the most.
    """
    sides, sizes, live = np.ascontiguousarray(boxes.T), areas(np, boxes), np.arange(len(boxes))
    kept: list[Host] = []
    count, size = 0, _FIRST_BLOCK
    buffers = np.empty((3, min(_LARGEST_BLOCK, len(boxes)) * len(boxes)), boxes.dtype)
    while live.size and count < limit:
        size = min(2 * size, _LARGEST_BLOCK)
        overlaps = _ious_of_first(min(size, live.size), sides, sizes, buffers) >= thresh
        block = len(overlaps)
        keep = _kept_in_block(np.triu(overlaps[:, :block], 1))
        kept.append(live[:block][keep])
        count += len(kept[-1])
        rest = block + np.flatnonzero(~overlaps[keep, block:].any(axis=0))
        live, sides, sizes = live[rest], sides.take(rest, axis=1), sizes[rest]
    return np.concatenate([live[:0], *kept])[:limit]


def _ious_of_first(block: int, sides: Host, sizes: Host, buffers: Host) -> Host:
    """Compute `bbox_iou` of the first boxes with all boxes, in existing memory: ``(block, R)``."""
    y_min, x_min, y_max, x_max = sides
    height, width, other = buffers[:, : block * len(sizes)].reshape(3, block, len(sizes))
    zeros = np.zeros_like(sizes)
    for start, end, length in ((y_min, y_max, height), (x_min, x_max, width)):
        # Expands numbers to rows: NumPy's minimum of two rows is ten times as fast as of a number and a row.
        length[:], other[:] = end[:block, None], start[:block, None]
        np.minimum(length, end, out=length)
        length -= np.maximum(other, start, out=other)
        np.maximum(length, zeros, out=length)
    intersection = np.multiply(height, width, out=height)
    union = np.add(sizes[:block, None], sizes, out=other)
    union -= intersection
    ious: Host = np.divide(intersection, union, out=height)
    return ious


def _kept_in_block(drops: Host) -> Host:
    """Return which boxes are kept, given which later boxes each one drops if kept, ``(B, B)``.

    A box is decided once all earlier boxes are. So each round decides at least one more box, and usually almost all.
    """
    keep: Host = np.ones(len(drops), bool)
    while True:
        now: Host = np.logical_not(drops[keep].any(axis=0))
        if (now == keep).all():
            return keep
        keep = now


def _samples(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Sample]:
    """``(boxes, bounds, thresh, limit)``."""
    for name, (sizes, limit) in {
        "one group": ([40], 40),
        "several groups": ([30, 0, 1, 70], 101),
        "a limit": ([50, 20], 3),
        "no boxes": ([0], 0),
    }.items():
        bounds = np.cumsum([0, *sizes])
        # Whole numbers: boxes that are equal, that touch, and whose overlap is the threshold.
        start = rng.integers(0, 12, (bounds[-1], 2))
        boxes = np.concatenate((start, start + rng.integers(0, 9, start.shape)), axis=1).astype(dtype)
        yield Sample(name, (boxes, bounds, 0.5, limit))


NON_MAXIMUM_SUPPRESSION = Operation("non_maximum_suppression", _dropped, samples="renga_cv.utils.suppression:_samples")
