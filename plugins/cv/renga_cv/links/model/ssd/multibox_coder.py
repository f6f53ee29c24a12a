"""Default boxes of SSD, and the coding of objects' boxes relative to them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import sqrt
from typing import Any

import numpy as np

from renga_core.backend import Array, DeviceResident, get_device_of, to_host
from renga_core.graph import Variable
from renga_cv.functions.detection.boxes import corners
from renga_cv.links.model.detections import best_of_each_class
from renga_cv.utils.bbox import bbox_iou
from renga_nn.functions.math import exp

__all__ = ["MultiboxCoder"]

Host = np.ndarray[Any, Any]


class MultiboxCoder(DeviceResident):
    """Default boxes, and the coding of boxes relative to them (Liu et al. 2016, section 2.2).

    A level has a size s, and the next level a size s'. Each cell of it has a square of edge s, a square of edge
    ``sqrt(s s')``, and for each aspect ratio a two boxes with edges ``s / sqrt(a)`` and ``s sqrt(a)``, one wide, one
    tall. Boxes are ordered by level, row, column, and in this order.

    Everything is computed on the host, because NMS is sequential; results are on the device of the arguments.

    Args:
        grids: For each level, the number of cells along an edge.
        aspect_ratios: For each level, the aspect ratios other than 1.
        steps: For each level, the distance between the centres of cells, in pixels of the network's input.
        sizes: For each level the size of its boxes, in pixels; and one more at the end.
        variance: The divisors of centre offsets and of logarithms of sizes.

    Raises:
        ValueError: The lengths do not match.
    """

    def __init__(
        self,
        grids: Sequence[int],
        aspect_ratios: Sequence[Sequence[float]],
        steps: Sequence[float],
        sizes: Sequence[float],
        variance: Sequence[float],
    ) -> None:
        if not len(grids) == len(aspect_ratios) == len(steps) == len(sizes) - 1:
            raise ValueError(
                f"MultiboxCoder: {len(grids)} grids, {len(aspect_ratios)} lists of aspect ratios, {len(steps)} steps "
                f"and {len(sizes)} sizes; the numbers must be equal, with one size more"
            )
        self._default_bbox = _default_boxes(grids, aspect_ratios, steps, sizes)
        self._variance = tuple(variance)

    def encode(self, bbox: Array, label: Array, iou_thresh: float = 0.5) -> tuple[Array, Array]:
        """Match default boxes with the objects of an image.

        First each object gets one box: the pair with the largest IoU is chosen, then the next among the remaining ones.
        Then each other box whose IoU with an object is at least `iou_thresh` gets the one it fits best.

        Args:
            bbox: Boxes of R objects: float ``(R, 4)``, y_min, x_min, y_max, x_max in pixels of the network's input.
            label: Their classes: integers ``(R,)`` from 0.
            iou_thresh: The smallest IoU of a match.

        Returns:
            For K default boxes, locations, float32 ``(K, 4)``, and classes, int32 ``(K,)``: label + 1, or 0 for the
            background, whose locations are 0.
        """
        device = get_device_of(bbox)
        boxes, classes = to_host(bbox).astype(np.float64), to_host(label)
        default = self._default_bbox
        loc, conf = np.zeros(default.shape, np.float32), np.zeros(len(default), np.int32)
        if len(boxes):
            match = _match(bbox_iou(_corners(default), boxes), iou_thresh)
            matched = match >= 0
            loc[matched] = self._offsets(boxes[match[matched]], default[matched])
            conf[matched] = classes[match[matched]] + 1
        return device.send(loc), device.send(conf)

    def _offsets(self, boxes: Host, default: Host) -> Host:
        low, high = boxes[:, :2], boxes[:, 2:]
        center = ((low + high) / 2 - default[:, :2]) / default[:, 2:] / self._variance[0]
        return np.hstack([center, np.log((high - low) / default[:, 2:]) / self._variance[1]])

    def decode(
        self, mb_loc: Array, mb_conf: Array, nms_thresh: float = 0.45, score_thresh: float = 0.6
    ) -> tuple[Array, Array, Array]:
        """Boxes of objects from the network's output for one image.

        Args:
            mb_loc: Locations ``(K, 4)``.
            mb_conf: Scores ``(K, n_class)`` before softmax; class 0 is the background.
            nms_thresh: If boxes of one class overlap by this IoU or more, only the best one is kept.
            score_thresh: The smallest probability of a box.

        Returns:
            Boxes, float32 ``(R, 4)``; classes from 0, without the background, int32 ``(R,)``; their probabilities,
            float32 ``(R,)``. Ordered by class, and then from the most probable on.
        """
        device = get_device_of(mb_loc)
        loc, conf = to_host(mb_loc), to_host(mb_conf)
        probability = np.exp(conf - conf.max(axis=1, keepdims=True))
        probability /= probability.sum(axis=1, keepdims=True)
        found = best_of_each_class(self._boxes(loc), probability[:, 1:], nms_thresh, score_thresh)
        bbox, label, score = (device.send(array) for array in found)
        return bbox, label, score

    def boxes(self, loc: Any) -> Variable:
        """Boxes from locations, as Variables: y_min, x_min, y_max, x_max in pixels of the network's input, ``(K, 4)``.

        Args:
            loc: Locations ``(K, 4)``.
        """
        default = get_device_of(loc.array).send(self._default_bbox.astype(loc.dtype))
        size = default[:, 2:]
        center = default[:, :2] + loc[:, :2] * (self._variance[0] * size)
        return corners(center, size * exp(loc[:, 2:] * self._variance[1]))

    def _boxes(self, loc: Host) -> Host:
        size = self._default_bbox[:, 2:]
        center = self._default_bbox[:, :2] + loc[:, :2] * self._variance[0] * size
        return _corners(np.hstack([center, size * np.exp(loc[:, 2:] * self._variance[1])]))


def _default_boxes(
    grids: Sequence[int], aspect_ratios: Sequence[Sequence[float]], steps: Sequence[float], sizes: Sequence[float]
) -> Host:
    """Boxes ``(K, 4)``: centre y, x, height, width."""
    levels = []
    for k, (grid, step) in enumerate(zip(grids, steps, strict=True)):
        size = sizes[k]
        shapes = [(size, size), (sqrt(size * sizes[k + 1]),) * 2]
        for ratio in aspect_ratios[k]:
            short, long = size / sqrt(ratio), size * sqrt(ratio)
            shapes += [(short, long), (long, short)]
        centers = [((v + 0.5) * step, (u + 0.5) * step) for v, u in product(range(grid), repeat=2)]
        levels += [(*center, *shape) for center, shape in product(centers, shapes)]
    return np.array(levels)


def _corners(boxes: Host) -> Host:
    """Convert boxes from centre and size to y_min, x_min, y_max, x_max."""
    center, half = boxes[:, :2], boxes[:, 2:] / 2
    return np.hstack([center - half, center + half])


def _match(iou: Host, thresh: float) -> Host:
    """For each default box the object that it is matched with, or -1, by the IoU ``(K, R)`` of both."""
    match = np.where(iou.max(axis=1) >= thresh, iou.argmax(axis=1), -1)
    left = iou.copy()
    best = left.argmax(axis=0)  # for each object, the best of the remaining default boxes
    value = left.max(axis=0)
    while value.max() > 1e-6:
        leading = np.flatnonzero(value == value.max())
        object_ = leading[best[leading].argmin()]
        box = best[object_]
        match[box] = object_
        left[box] = 0
        value[object_] = 0
        robbed = np.flatnonzero((best == box) & (value > 0))
        best[robbed] = left[:, robbed].argmax(axis=0)
        value[robbed] = left[:, robbed].max(axis=0)
    return match
