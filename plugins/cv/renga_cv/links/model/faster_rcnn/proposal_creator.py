"""Convert the output of a region proposal network to regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_device_of, to_host
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.graph.operators import cast
from renga_cv.functions.detection.boxes import clipped, moved
from renga_cv.functions.detection.choosing import highest, suppressed
from renga_cv.links.model.faster_rcnn.box_coding import LARGEST_EXPONENT, loc2bbox
from renga_cv.utils.bbox import non_maximum_suppression

__all__ = ["ProposalCreator"]

_ALL = 2**31 - 1


class ProposalCreator:
    """Move anchors, and select the best by non-maximum suppression (Ren et al. 2015, 3.1 and 3.3).

    Boxes are clipped to the image; those smaller than `min_size` are dropped; then non-maximum suppression with
    `nms_thresh` selects among those with the best scores.

    Args:
        nms_thresh: Smallest IoU at which the worse of two boxes is dropped.
        n_train_pre_nms, n_test_pre_nms: Number of boxes before NMS in training mode and otherwise
            (`renga.config.train`); 0 or less for all.
        n_train_post_nms, n_test_post_nms: Largest number of boxes after NMS; 0 or less for all.
        force_cpu_nms: Accepted for ChainerCV's programs. It has no effect, because boxes are always selected on the
            host.
        min_size: Smallest height and width, in pixels of the image before it was resized.
    """

    def __init__(
        self,
        nms_thresh: float = 0.7,
        n_train_pre_nms: int = 12000,
        n_train_post_nms: int = 2000,
        n_test_pre_nms: int = 6000,
        n_test_post_nms: int = 300,
        force_cpu_nms: bool = False,
        min_size: float = 16,
    ) -> None:
        self.nms_thresh = nms_thresh
        self.n_train_pre_nms = n_train_pre_nms
        self.n_train_post_nms = n_train_post_nms
        self.n_test_pre_nms = n_test_pre_nms
        self.n_test_post_nms = n_test_post_nms
        self.force_cpu_nms = force_cpu_nms
        self.min_size = min_size

    def __call__(self, loc: Array, score: Array, anchor: Array, img_size: tuple[int, int], scale: float = 1.0) -> Array:
        """Regions of an image, best first.

        Args:
            loc: Offsets of anchors, float32 ``(S, 4)``; see `renga.cv.links.model.faster_rcnn.loc2bbox`.
            score: Objectness scores of anchors, float32 ``(S,)``.
            anchor: Anchors, float32 ``(S, 4)``.
            img_size: Height and width of the image, in pixels of the anchors.
            scale: Scale factor of the image.

        Returns:
            float32 ``(R, 4)``, on the device of `loc`.
        """
        xp, device = get_array_module(loc), get_device_of(loc)
        moved = xp.concatenate((loc2bbox(device.send(anchor), loc), score[:, None]), axis=1)
        rows = to_host(moved)
        height, width = img_size
        roi, score = np.clip(rows[:, :4], 0, np.asarray((height, width) * 2, rows.dtype)), rows[:, 4]
        large = (roi[:, 2:] - roi[:, :2] >= self.min_size * scale).all(axis=1)
        roi, score = roi[large], score[large]
        before, after = self._limits()
        roi = roi[np.argsort(-score, kind="stable")[:before]]
        chosen = non_maximum_suppression(roi, self.nms_thresh, limit=after)
        return device.send(np.ascontiguousarray(roi[chosen]))

    def propose(self, loc: Any, score: Any, anchor: Any, img_size: Any, scale: Any) -> Variable:
        """Regions of an image with functions only: the same result as a call, but differentiable.

        Args:
            loc, score, anchor: See `__call__`; Variables.
            img_size: Height and width of the image, a Variable ``(2,)``.
            scale: Scale factor of the image, a Variable ``()``.

        Returns:
            float32 ``(R, 4)``.
        """
        before, after = (_ALL if limit is None else limit for limit in self._limits())
        boxes = clipped(moved(anchor, loc, LARGEST_EXPONENT), img_size)
        boxes = boxes[highest(score, before, boxes, cast(scale, boxes.dtype) * self.min_size).array]
        return boxes[suppressed(boxes, self.nms_thresh, after).array]

    def _limits(self) -> tuple[int | None, int | None]:
        """Numbers of boxes before and after NMS; None for all."""
        if config.train:
            limits = self.n_train_pre_nms, self.n_train_post_nms
        else:
            limits = self.n_test_pre_nms, self.n_test_post_nms
        before, after = (limit if limit > 0 else None for limit in limits)
        return before, after
