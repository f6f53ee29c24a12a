"""The loss of a region proposal network on a feature pyramid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_device_of, to_host
from renga_core.graph import Variable
from renga_core.graph.operators import get_item
from renga_core.graph.operators import sum as sum_of
from renga_cv.links.model.faster_rcnn.anchor_target_creator import AnchorTargetCreator
from renga_cv.links.model.fpn.misc import image_weights, smooth_l1
from renga_nn.functions.array.concat import concat
from renga_nn.functions.loss import sigmoid_cross_entropy

__all__ = ["rpn_loss"]

_TARGETS = AnchorTargetCreator(n_sample=256, pos_iou_thresh=0.7, neg_iou_thresh=0.3, pos_ratio=0.25)


def rpn_loss(
    locs: Sequence[Any],
    confs: Sequence[Any],
    anchors: Sequence[Array],
    sizes: Sequence[tuple[int, int]],
    bboxes: Sequence[Array],
) -> tuple[Variable, Variable]:
    """The losses of moves and of logits of anchors (Ren et al. 2015, 3.1.2).

    The loss uses 256 anchors of each image. At most a quarter are positive: those whose IoU with a box is 0.7 or more,
    and the best anchors of each box. Negative anchors have an IoU below 0.3 with all boxes. Both kinds are drawn
    without replacement; if there are fewer, all are used. (ChainerCV draws negative anchors with replacement, and draws
    none unless there are more than needed.)

    Args:
        locs, confs: The results of `RPN.forward`: Variables ``(N, K, 4)`` and ``(N, K)`` for each level.
        anchors: The result of `RPN.anchors`.
        sizes: Height and width of each image before it was padded. Anchors that extend beyond it are ignored.
        bboxes: The boxes of each image, float32 ``(R, 4)``.

    Returns:
        Variables, two scalars: smooth L1 with beta 1/9, and sigmoid cross entropy; both are averaged over the anchors
        of an image, and then over images.
    """
    device = get_device_of(locs[0].array)
    loc, conf = concat(list(locs), axis=1), concat(list(confs), axis=1)
    anchor = np.concatenate([to_host(level) for level in anchors], axis=0)
    targets = [_TARGETS(to_host(bbox), anchor, size) for size, bbox in zip(sizes, bboxes, strict=True)]
    gt_loc, gt_label = (np.stack([each[k] for each in targets]) for k in range(2))
    chosen = np.nonzero(gt_label >= 0)
    weight = image_weights(chosen[0], len(sizes))
    positive = gt_label[chosen] == 1
    index = tuple(device.send(axis) for axis in chosen)
    positive_index = tuple(device.send(axis[positive]) for axis in chosen)
    moves = smooth_l1(get_item(loc, positive_index), device.send(gt_loc[chosen][positive]), 1 / 9)
    loc_loss = sum_of(moves * device.send(weight[positive][:, None]))
    answers = device.send(gt_label[chosen])
    conf_loss = sum_of(sigmoid_cross_entropy(get_item(conf, index), answers, reduce="no") * device.send(weight))
    return loc_loss, conf_loss
