"""Merges several masks of one instance (Dai et al. 2016, "Instance-aware Semantic Segmentation via Cascades")."""

from __future__ import annotations

import numpy as np

from renga_core.backend import Array, to_host
from renga_cv.links.model.fcis.masks import Host, paste, resized
from renga_cv.utils.bbox import bbox_iou, non_maximum_suppression

__all__ = ["mask_voting"]


def mask_voting(
    seg_prob: Array,
    bbox: Array,
    cls_prob: Array,
    size: tuple[int, int],
    score_thresh: float,
    nms_thresh: float,
    mask_merge_thresh: float,
    binary_thresh: float,
    limit: int = 100,
    bg_label: int = 0,
) -> tuple[Host, Host, Host, Host]:
    """Choose boxes for each class; the mask of a box is the mean of the masks of all boxes that overlap it.

    Non-maximum suppression selects boxes of each class. The mask of such a box is the mean of the masks of all
    boxes that overlap it, weighted by their probabilities of the class; its box becomes that of the mask. Computed on
    the host.

    Args:
        seg_prob: For each region the probability that a pixel belongs to the instance, floats ``(R, h, w)``.
        bbox: The regions, ``(R, 4)``, inside the image.
        cls_prob: Probabilities of the classes, ``(R, n_class)``.
        size: Height and width of the image.
        score_thresh: Smallest probability of a class.
        nms_thresh: Smallest IoU at which the worse of two boxes is dropped.
        mask_merge_thresh: Smallest IoU of a box that votes.
        binary_thresh: Smallest value of a pixel that belongs to a mask.
        limit: Largest number of instances; it is exceeded only if probabilities are equal.
        bg_label: The class of the background.

    Returns:
        Host arrays: masks, float32 ``(R', h, w)``; boxes, float32 ``(R', 4)``; labels, int32 ``(R',)``, without the
        background; probabilities, float32 ``(R',)``: class by class, best first.
    """
    seg_prob, bbox, cls_prob = (to_host(array).astype(np.float32) for array in (seg_prob, bbox, cls_prob))
    classes = [number for number in range(cls_prob.shape[1]) if number != bg_label]
    chosen = {
        number: non_maximum_suppression(bbox, nms_thresh, np.ascontiguousarray(cls_prob[:, number]))
        for number in classes
    }
    best = np.sort(np.concatenate([cls_prob[chosen[number], number] for number in classes] or [cls_prob[:0, 0]]))[::-1]
    if len(best) > limit:
        score_thresh = max(score_thresh, best[limit - 1])
    masks_of_image: dict[int, Host] = {}
    found: list[tuple[Host, Host, int, float]] = []
    for label, number in enumerate(classes):
        for region in chosen[number][cls_prob[chosen[number], number] >= score_thresh]:
            (voters,) = np.nonzero(bbox_iou(bbox, bbox[region : region + 1])[:, 0] >= mask_merge_thresh)
            weights = cls_prob[voters, number] / cls_prob[voters, number].sum()
            votes = np.zeros(size, np.float32)
            for voter, weight in zip(voters.tolist(), weights, strict=True):
                if voter not in masks_of_image:
                    masks_of_image[voter] = paste(seg_prob[voter], bbox[voter], size, binary_thresh)
                votes += weight * masks_of_image[voter]
            rows, columns = (np.flatnonzero((votes >= binary_thresh).any(axis=axis)) for axis in (1, 0))
            if len(rows):
                box = np.array([rows[0], columns[0], rows[-1] + 1, columns[-1] + 1], np.float32)
                part = votes[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
                found.append((resized(part, seg_prob.shape[1:]), box, label, cls_prob[region, number]))
    return (
        np.array([mask for mask, _, _, _ in found], np.float32).reshape(-1, *seg_prob.shape[1:]),
        np.array([box for _, box, _, _ in found], np.float32).reshape(-1, 4),
        np.array([label for _, _, label, _ in found], np.int32),
        np.array([score for _, _, _, score in found], np.float32),
    )
