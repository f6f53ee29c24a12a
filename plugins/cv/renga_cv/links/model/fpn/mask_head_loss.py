"""The loss of the head that masks objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_device_of, to_host
from renga_core.graph import Variable
from renga_core.graph.operators import get_item
from renga_core.graph.operators import sum as sum_of
from renga_cv.links.model.faster_rcnn.sampling import nearest
from renga_cv.links.model.fpn.levels import Levels
from renga_cv.links.model.fpn.masks import mask_to_segm
from renga_cv.links.model.fpn.misc import image_weights
from renga_nn.functions.loss import sigmoid_cross_entropy

__all__ = ["mask_head_loss_post", "mask_head_loss_pre"]


def mask_head_loss_pre(
    rois: Sequence[Array],
    roi_indices: Sequence[Array],
    gt_masks: Sequence[Array],
    gt_bboxes: Sequence[Array],
    gt_head_labels: Sequence[Array],
    segm_size: int,
) -> tuple[list[Array], list[Array], list[Array], list[Array]]:
    """Choose the positive regions, and cut the masks of their objects (He et al. 2017, 3). On the host.

    Args:
        rois, roi_indices, gt_head_labels: Regions of each level with their images and labels, as `bbox_head_loss_pre`
            returns them.
        gt_masks: Masks of each image, bool ``(R, H, W)``.
        gt_bboxes: Their boxes, float32 ``(R, 4)``.
        segm_size: Height and width of small masks; `MaskHead.segm_size`.

    Returns:
        For each level: `mask_rois` float32 ``(R', 4)``, `mask_roi_indices` int32 ``(R',)``, `gt_segms` float32
        ``(R', segm_size, segm_size)`` from 0 to 1, and `gt_mask_labels` int32 ``(R',)``, the class plus 1.
    """
    levels, (roi, image, label) = Levels.of(rois, roi_indices, gt_head_labels)
    segm = np.zeros((len(roi), segm_size, segm_size), np.float32)
    for number in np.unique(image[label > 0]):
        (rows,) = np.nonzero((image == number) & (label > 0))
        best, _ = nearest(roi[rows], to_host(gt_bboxes[number]))
        segm[rows] = mask_to_segm(gt_masks[number], roi[rows], segm_size, best)
    mask_rois, mask_roi_indices, gt_segms, gt_mask_labels = levels.split(label > 0, roi, image, segm, label)
    return mask_rois, mask_roi_indices, gt_segms, gt_mask_labels


def mask_head_loss_post(
    segms: Any,
    mask_roi_indices: Sequence[Array],
    gt_segms: Sequence[Array],
    gt_mask_labels: Sequence[Array],
    batchsize: int,
) -> Variable:
    """The mean of sigmoid cross entropy over pixels (He et al. 2017, 3).

    Only the map of a region's own class is used. A pixel belongs to the mask if it is at least half covered.

    Args:
        segms: The result of `MaskHead.forward` for the chosen regions: Variable ``(R, n_class, S, S)``.
        mask_roi_indices, gt_segms, gt_mask_labels: The results of `mask_head_loss_pre`.
        batchsize: Number of images.

    Returns:
        Variable, a scalar: the mean over the pixels of an image's regions, averaged over images. An image without
        positive regions contributes 0.
    """
    device, xp = get_device_of(segms.array), get_array_module(segms.array)
    image = np.concatenate([to_host(index) for index in mask_roi_indices])
    weight = device.send(image_weights(image, batchsize) / np.float32(segms.shape[2] * segms.shape[3]))
    label = xp.concatenate(list(gt_mask_labels), axis=0)
    answers = (xp.concatenate(list(gt_segms), axis=0) >= 0.5).astype("int32")
    own = get_item(segms, (xp.arange(len(label)), label))
    loss: Variable = sum_of(sigmoid_cross_entropy(own, answers, reduce="no") * weight[:, None, None])
    return loss
