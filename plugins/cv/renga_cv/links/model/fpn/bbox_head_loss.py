"""The loss of the head that classifies regions and moves them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_device_of, to_host
from renga_core.graph import Variable
from renga_core.graph.operators import get_item
from renga_core.graph.operators import sum as sum_of
from renga_cv.links.model.faster_rcnn.box_coding import bbox2loc
from renga_cv.links.model.faster_rcnn.sampling import draw, nearest
from renga_cv.links.model.fpn.levels import Levels
from renga_cv.links.model.fpn.misc import image_weights, smooth_l1
from renga_nn.functions.loss import softmax_cross_entropy

__all__ = ["bbox_head_loss_post", "bbox_head_loss_pre"]

_N_SAMPLE = 512
_POSITIVE_SHARE = 0.25
_IOU_THRESH = 0.5


def bbox_head_loss_pre(
    rois: Sequence[Array],
    roi_indices: Sequence[Array],
    std: Sequence[float],
    bboxes: Sequence[Array],
    labels: Sequence[Array],
) -> tuple[list[Array], list[Array], list[Array], list[Array]]:
    """Choose regions for training, and their targets (Lin et al. 2017, 4.2).

    From each image 512 regions are drawn without replacement. At most a quarter are positive: those whose IoU with a
    box is 0.5 or more. The others are background. To train on the boxes themselves, add them to the regions
    before. Everything is computed on the host.

    Args:
        rois, roi_indices: Regions of each level, as `BboxHead.distribute` returns them.
        std: The divisors of offsets; `BboxHead.std`.
        bboxes: The boxes of each image, float32 ``(R, 4)``.
        labels: The classes, int32 ``(R,)``, from 0.

    Returns:
        For each level: `rois` float32 ``(R', 4)``, `roi_indices` int32 ``(R',)``, `gt_locs` float32 ``(R', 4)`` and
        `gt_labels` int32 ``(R',)``: 0 for background, otherwise the class plus 1.
    """
    levels, (roi, image) = Levels.of(rois, roi_indices)
    gt_loc, gt_label = np.zeros_like(roi), np.full(len(roi), -1, np.int32)
    for number in np.unique(image):
        bbox, (rows,) = to_host(bboxes[number]), np.nonzero(image == number)
        best, iou = nearest(roi[rows], bbox)
        positive = draw(np.flatnonzero(iou >= _IOU_THRESH), int(_N_SAMPLE * _POSITIVE_SHARE))
        negative = draw(np.flatnonzero(iou < _IOU_THRESH), _N_SAMPLE - len(positive))
        gt_label[rows[negative]] = 0
        gt_label[rows[positive]] = to_host(labels[number])[best[positive]] + 1
        gt_loc[rows[positive]] = bbox2loc(roi[rows[positive]], bbox[best[positive]]) / np.repeat(std, 2)
    chosen = gt_label >= 0
    out_rois, out_indices, gt_locs, gt_labels = levels.split(chosen, roi, image, gt_loc, gt_label)
    return out_rois, out_indices, gt_locs, gt_labels


def bbox_head_loss_post(
    locs: Any,
    confs: Any,
    roi_indices: Sequence[Array],
    gt_locs: Sequence[Array],
    gt_labels: Sequence[Array],
    batchsize: int,
) -> tuple[Variable, Variable]:
    """The losses of moves and of classes (Girshick 2015, equation 1).

    Args:
        locs, confs: The results of `BboxHead.forward` for the chosen regions: Variables ``(R, n_class, 4)`` and
            ``(R, n_class)``.
        roi_indices, gt_locs, gt_labels: The results of `bbox_head_loss_pre`.
        batchsize: Number of images.

    Returns:
        Variables, two scalars: smooth L1 with beta 1 of positive regions, and softmax cross entropy; both are averaged
        over the regions of an image, and then over images.
    """
    device = get_device_of(locs.array)
    xp = get_array_module(locs.array)
    image = np.concatenate([to_host(index) for index in roi_indices])
    weight = device.send(image_weights(image, batchsize))
    gt_loc, gt_label = xp.concatenate(list(gt_locs), axis=0), xp.concatenate(list(gt_labels), axis=0)
    moves = smooth_l1(get_item(locs, (xp.arange(len(gt_label)), gt_label)), gt_loc, 1)
    loc_loss = sum_of(moves * (weight * (gt_label > 0).astype(weight.dtype))[:, None])
    conf_loss = sum_of(softmax_cross_entropy(confs, gt_label, reduce="no") * weight)
    return loc_loss, conf_loss
