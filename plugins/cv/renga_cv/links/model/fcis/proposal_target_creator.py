"""The training targets of FCIS's head."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from renga_core.backend import Array, get_device_of, to_host
from renga_cv.links.model.faster_rcnn.box_coding import bbox2loc
from renga_cv.links.model.faster_rcnn.sampling import draw, nearest
from renga_cv.links.model.fcis.masks import Host, resized, rounded

__all__ = ["ProposalTargetCreator"]


class ProposalTargetCreator:
    """Choose regions for training, and assign labels, boxes and masks to them (Li et al. 2017, 3.2).

    The boxes of the image join the regions. A region whose IoU with a box is at least `pos_iou_thresh` is positive; one
    whose IoU with all boxes is in ``[neg_iou_thresh_lo, neg_iou_thresh_hi)`` is background.

    Args:
        n_sample: Largest number of regions to choose.
        pos_ratio: Largest fraction of positive regions in `n_sample`.
        pos_iou_thresh: Smallest IoU of a positive region.
        neg_iou_thresh_hi, neg_iou_thresh_lo: The range of IoU in which a region is background.
        binary_thresh: Smallest covered fraction of a cell that belongs to a mask.

    Attributes: see the arguments.
    """

    def __init__(
        self,
        n_sample: int = 128,
        pos_ratio: float = 0.25,
        pos_iou_thresh: float = 0.5,
        neg_iou_thresh_hi: float = 0.5,
        neg_iou_thresh_lo: float = 0.1,
        binary_thresh: float = 0.4,
    ) -> None:
        self.n_sample = n_sample
        self.pos_ratio = pos_ratio
        self.pos_iou_thresh = pos_iou_thresh
        self.neg_iou_thresh_hi = neg_iou_thresh_hi
        self.neg_iou_thresh_lo = neg_iou_thresh_lo
        self.binary_thresh = binary_thresh

    def __call__(
        self,
        roi: Array,
        mask: Array,
        label: Array,
        bbox: Array,
        loc_normalize_mean: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        loc_normalize_std: Sequence[float] = (0.2, 0.2, 0.5, 0.5),
        mask_size: tuple[int, int] = (21, 21),
    ) -> tuple[Array, Array, Array, Array]:
        """Targets for an image. They are computed on the host.

        Args:
            roi: Regions, float32 ``(R, 4)``.
            mask: Masks of the instances, bool ``(R', H, W)``.
            label: The classes, int32 ``(R',)``, from 0.
            bbox: Their boxes, float32 ``(R', 4)``.
            loc_normalize_mean, loc_normalize_std: Mean and standard deviation that normalize offsets.
            mask_size: Height and width of the masks to learn.

        Returns:
            On the device of `roi`: `sample_roi` float32 ``(S, 4)``, positive ones first; `gt_roi_mask` int32
            ``(S, *mask_size)``: 1 inside, 0 outside, -1 (ignored) for background; `gt_roi_label` int32 ``(S,)``: 0 for
            background, otherwise the class plus 1; `gt_roi_loc` float32 ``(S, 4)``, offsets to the boxes, normalized.
        """
        device = get_device_of(roi)
        masks, boxes = to_host(mask), to_host(bbox)
        rois = np.concatenate((to_host(roi), boxes), axis=0)
        best, iou = nearest(rois, boxes)
        (positive,) = np.nonzero(iou >= self.pos_iou_thresh)
        (negative,) = np.nonzero((iou < self.neg_iou_thresh_hi) & (iou >= self.neg_iou_thresh_lo))
        positive = draw(positive, round(self.n_sample * self.pos_ratio))
        negative = draw(negative, self.n_sample - len(positive))
        chosen = np.concatenate((positive, negative))
        sample = rois[chosen]
        labels = np.zeros(len(chosen), np.int32)
        labels[: len(positive)] = to_host(label)[best[positive]] + 1
        loc = np.zeros_like(sample)
        if len(boxes):
            mean, std = np.asarray(loc_normalize_mean, loc.dtype), np.asarray(loc_normalize_std, loc.dtype)
            loc = (bbox2loc(sample, boxes[best[chosen]]) - mean) / std
        targets = np.full((len(chosen), *mask_size), -1, np.int32)
        for i, region in enumerate(positive):
            targets[i] = self._of_region(masks[best[region]], rois[region], mask_size)
        return device.send(sample), device.send(targets), device.send(labels), device.send(loc)

    def _of_region(self, mask: Host, roi: Host, mask_size: tuple[int, int]) -> Host:
        """Crop a mask to a region: 0 and 1, of shape ``mask_size``."""
        rows, columns = rounded(roi)
        part = mask[rows, columns].astype(np.float32)
        return resized(part, mask_size) >= self.binary_thresh if part.size else np.zeros(mask_size, bool)
