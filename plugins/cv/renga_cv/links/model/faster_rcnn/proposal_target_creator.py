"""The training targets of a detector's head."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from renga_core.backend import Array, get_device_of, to_host
from renga_cv.links.model.faster_rcnn.box_coding import bbox2loc
from renga_cv.links.model.faster_rcnn.sampling import draw, nearest

__all__ = ["ProposalTargetCreator"]


class ProposalTargetCreator:
    """Choose regions for training, and assign labels and boxes to them (Girshick 2015, 2.3).

    The boxes of the image join the regions. A region whose IoU with a box is at least `pos_iou_thresh` is positive; one
    whose IoU with all boxes is in ``[neg_iou_thresh_lo, neg_iou_thresh_hi)`` is background.

    Args:
        n_sample: Largest number of regions to choose. None chooses as many as there are.
        pos_ratio: Largest fraction of positive regions in `n_sample`.
        pos_iou_thresh: Smallest IoU of a positive region.
        neg_iou_thresh_hi, neg_iou_thresh_lo: The range of IoU in which a region is background.
    """

    def __init__(
        self,
        n_sample: int | None = 128,
        pos_ratio: float = 0.25,
        pos_iou_thresh: float = 0.5,
        neg_iou_thresh_hi: float = 0.5,
        neg_iou_thresh_lo: float = 0.0,
    ) -> None:
        self.n_sample = n_sample
        self.pos_ratio = pos_ratio
        self.pos_iou_thresh = pos_iou_thresh
        self.neg_iou_thresh_hi = neg_iou_thresh_hi
        self.neg_iou_thresh_lo = neg_iou_thresh_lo

    def __call__(
        self,
        roi: Array,
        bbox: Array,
        label: Array,
        loc_normalize_mean: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        loc_normalize_std: Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    ) -> tuple[Array, Array, Array]:
        """Targets for an image. They are computed on the host.

        Args:
            roi: Regions, float32 ``(R, 4)``.
            bbox: Boxes of the image, float32 ``(R', 4)``.
            label: The classes, int32 ``(R',)``, from 0.
            loc_normalize_mean, loc_normalize_std: Mean and standard deviation that normalize offsets.

        Returns:
            `sample_roi` float32 ``(S, 4)``, positive ones first; `gt_roi_loc` float32 ``(S, 4)``, offsets to their
            boxes, normalized; `gt_roi_label` int32 ``(S,)``: 0 for background, otherwise the class plus 1. On the
            device of `roi`.
        """
        device = get_device_of(roi)
        boxes = to_host(bbox)
        rois = np.concatenate((to_host(roi), boxes), axis=0)
        best, iou = nearest(rois, boxes)
        n_sample = len(rois) if self.n_sample is None else self.n_sample
        (positive,) = np.nonzero(iou >= self.pos_iou_thresh)
        (negative,) = np.nonzero((iou < self.neg_iou_thresh_hi) & (iou >= self.neg_iou_thresh_lo))
        positive = draw(positive, round(n_sample * self.pos_ratio))
        negative = draw(negative, n_sample - len(positive))
        chosen = np.concatenate((positive, negative))
        sample = rois[chosen]
        labels = np.zeros(len(chosen), np.int32)
        labels[: len(positive)] = to_host(label)[best[positive]] + 1
        loc = np.zeros_like(sample)
        if len(boxes):
            mean, std = np.asarray(loc_normalize_mean, loc.dtype), np.asarray(loc_normalize_std, loc.dtype)
            loc = (bbox2loc(sample, boxes[best[chosen]]) - mean) / std
        return device.send(sample), device.send(loc), device.send(labels)
