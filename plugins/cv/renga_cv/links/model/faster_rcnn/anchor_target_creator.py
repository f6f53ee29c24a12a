"""The training targets of a region proposal network."""

from __future__ import annotations

import numpy as np

from renga_core.backend import Array, get_device_of, to_host
from renga_cv.links.model.faster_rcnn.box_coding import bbox2loc
from renga_cv.links.model.faster_rcnn.sampling import Host, draw
from renga_cv.utils.bbox import bbox_iou

__all__ = ["AnchorTargetCreator"]


class AnchorTargetCreator:
    """Choose anchors for training, and assign boxes to them (Ren et al. 2015, 3.1.2 and 3.1.3).

    An anchor is positive if its IoU with a box is at least `pos_iou_thresh`, or if no other anchor has a larger IoU
    with that box; negative if its IoU with all boxes is below `neg_iou_thresh`. Only anchors inside the image are used.
    At most `n_sample` anchors are used; the others are ignored.

    An anchor that does not touch a box is never positive. (In ChainerCV, if a box is touched by no anchor, all anchors
    that touch no box become positive.) An image without boxes has negative anchors only.

    Args:
        n_sample: Largest number of anchors to use.
        pos_iou_thresh: Smallest IoU of a positive anchor.
        neg_iou_thresh: IoU below which it is negative.
        pos_ratio: Largest fraction of positive anchors in `n_sample`.
    """

    def __init__(
        self, n_sample: int = 256, pos_iou_thresh: float = 0.7, neg_iou_thresh: float = 0.3, pos_ratio: float = 0.5
    ) -> None:
        self.n_sample = n_sample
        self.pos_iou_thresh = pos_iou_thresh
        self.neg_iou_thresh = neg_iou_thresh
        self.pos_ratio = pos_ratio

    def __call__(self, bbox: Array, anchor: Array, img_size: tuple[int, int]) -> tuple[Array, Array]:
        """Targets for an image. They are computed on the host.

        Args:
            bbox: Boxes of the image, float32 ``(R, 4)``.
            anchor: Anchors, float32 ``(S, 4)``.
            img_size: Height and width of the image, in pixels of the boxes.

        Returns:
            `loc` float32 ``(S, 4)``, offsets from each anchor to its box (0 outside of the image), and `label` int32
            ``(S,)``: 1 positive, 0 negative, -1 ignored. On the device of `anchor`.
        """
        device = get_device_of(anchor)
        boxes, anchors = to_host(bbox), to_host(anchor)
        height, width = img_size
        (inside,) = np.nonzero(
            (anchors[:, 0] >= 0) & (anchors[:, 1] >= 0) & (anchors[:, 2] <= height) & (anchors[:, 3] <= width)
        )
        loc = np.zeros(anchors.shape, anchors.dtype)
        label = np.full(len(anchors), -1, np.int32)
        best, label[inside] = self._labels(anchors[inside], boxes)
        if len(boxes):
            loc[inside] = bbox2loc(anchors[inside], boxes[best])
        return device.send(loc), device.send(label)

    def _labels(self, anchors: Host, boxes: Host) -> tuple[Host, Host]:
        """For each anchor the number of its box, and whether it is positive."""
        best = np.zeros(len(anchors), np.intp)
        label = np.full(len(anchors), -1, np.int32)
        if len(anchors) and len(boxes):
            iou = bbox_iou(anchors, boxes)
            best = iou.argmax(axis=1)
            largest = iou.max(axis=1)
            label[largest < self.neg_iou_thresh] = 0
            # Negative first: the best anchor of a box is positive, however small its IoU.
            label[((iou == iou.max(axis=0)) & (iou > 0)).any(axis=1)] = 1
            label[largest >= self.pos_iou_thresh] = 1
        else:
            label[:] = 0
        (positive,) = np.nonzero(label == 1)
        (negative,) = np.nonzero(label == 0)
        positive = draw(positive, int(self.pos_ratio * self.n_sample))
        negative = draw(negative, self.n_sample - len(positive))
        label[:] = -1
        label[positive], label[negative] = 1, 0
        return best, label
