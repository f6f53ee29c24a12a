"""The loss of Light-Head R-CNN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, to_host
from renga_core.graph import Variable, as_array
from renga_core.graph.operators import get_item, reshape
from renga_core.graph.operators import sum as sum_of
from renga_core.link import Chain
from renga_core.reporter import report
from renga_cv.links.model.faster_rcnn.anchor_target_creator import AnchorTargetCreator
from renga_cv.links.model.faster_rcnn.proposal_target_creator import ProposalTargetCreator
from renga_cv.links.model.faster_rcnn.train_chain import loc_loss
from renga_cv.links.model.light_head_rcnn.light_head_rcnn import LightHeadRCNN
from renga_nn.functions.loss import huber_loss, softmax_cross_entropy

__all__ = ["LightHeadRCNNTrainChain"]


class LightHeadRCNNTrainChain(Chain):
    """Train region proposals and head together, the head on the hardest regions (Li et al. 2017, 4.1).

    Calling it computes the loss: the sum of four losses, for moves and for classes, of proposals and of the head; the
    head's loss of moves counts twice. The losses are reported as ``rpn_loc_loss``, ``rpn_cls_loss``, ``roi_loc_loss``,
    ``roi_cls_loss`` and ``loss``.

    Args:
        light_head_rcnn: The detector.
        rpn_sigma, roi_sigma: For proposals and for the head; the smooth L1 loss becomes linear at ``1 / sigma**2``.
        n_ohem_sample: Number of regions of each image that the head is trained on: those with the largest loss
            (Shrivastava et al. 2016).
        anchor_target_creator: Computes the targets of anchors. Default: `AnchorTargetCreator`.
        proposal_target_creator: Computes the targets of regions. Default: `ProposalTargetCreator` of all regions.

    Attributes: see the arguments.
    """

    def __init__(
        self,
        light_head_rcnn: LightHeadRCNN,
        rpn_sigma: float = 3.0,
        roi_sigma: float = 1.0,
        n_ohem_sample: int = 256,
        anchor_target_creator: AnchorTargetCreator | None = None,
        proposal_target_creator: ProposalTargetCreator | None = None,
    ) -> None:
        super().__init__()
        with self.init_scope():
            self.light_head_rcnn = light_head_rcnn
        self.rpn_sigma = rpn_sigma
        self.roi_sigma = roi_sigma
        self.n_ohem_sample = n_ohem_sample
        self.anchor_target_creator = anchor_target_creator or AnchorTargetCreator()
        self.proposal_target_creator = proposal_target_creator or ProposalTargetCreator(n_sample=None)
        self.loc_normalize_mean = light_head_rcnn.loc_normalize_mean
        self.loc_normalize_std = light_head_rcnn.loc_normalize_std

    def forward(self, imgs: Any, bboxes: Sequence[Any], labels: Sequence[Any], scales: Any) -> Variable:
        """The loss of a batch.

        Args:
            imgs: Images ``(N, 3, H, W)``, prepared, and padded to one size.
            bboxes: For each image its boxes ``(R, 4)``, in pixels of the prepared image.
            labels: For each image their classes ``(R,)``, from 0.
            scales: Scale factor of each image, ``(N,)``.

        Returns:
            Variable, a scalar.
        """
        losses = self.losses(imgs, bboxes, labels, scales)
        loss: Variable = sum(losses.values())  # type: ignore[assignment]  # of Variables, and some
        report({**losses, "loss": loss}, self)
        return loss

    def losses(self, imgs: Any, bboxes: Sequence[Any], labels: Sequence[Any], scales: Any) -> dict[str, Variable]:
        """The parts of the loss, by name; nothing is reported. For arguments, see `forward`."""
        img_size = tuple(imgs.shape[2:])
        each_scale = [float(value) for value in (scales if isinstance(scales, Sequence) else np.ravel(to_host(scales)))]
        rpn_features, roi_features = self.light_head_rcnn.extractor(imgs)
        rpn_locs, rpn_scores, rois, roi_indices, anchor = self.light_head_rcnn.rpn(rpn_features, img_size, each_scale)
        xp, of_image = get_array_module(rois), to_host(roi_indices)
        rpn_loc_losses, rpn_cls_losses, targets = [], [], []
        for i, (given_bbox, given_label) in enumerate(zip(bboxes, labels, strict=True)):
            bbox, label = as_array(given_bbox), as_array(given_label)
            gt_rpn_loc, gt_rpn_label = self.anchor_target_creator(bbox, anchor, img_size)
            rpn_loc_losses.append(loc_loss(rpn_locs[i], gt_rpn_loc, gt_rpn_label, self.rpn_sigma))
            rpn_cls_losses.append(softmax_cross_entropy(rpn_scores[i], gt_rpn_label))
            of_this = rois[xp.asarray(np.flatnonzero(of_image == i))]
            sample = self.proposal_target_creator(of_this, bbox, label, self.loc_normalize_mean, self.loc_normalize_std)
            targets.append((*sample, xp.full(len(sample[0]), i, dtype="int32")))
        sample_roi, gt_roi_loc, gt_roi_label, sample_index = (
            xp.concatenate(parts, axis=0) for parts in zip(*targets, strict=True)
        )
        roi_cls_locs, roi_scores = self.light_head_rcnn.head(roi_features, sample_roi, sample_index)
        n_hard = self.n_ohem_sample * len(imgs)
        roi_loc_loss, roi_cls_loss = self._of_hardest(roi_cls_locs, roi_scores, gt_roi_loc, gt_roi_label, n_hard)
        return {
            "rpn_loc_loss": sum(rpn_loc_losses[1:], rpn_loc_losses[0]) / len(imgs),
            "rpn_cls_loss": sum(rpn_cls_losses[1:], rpn_cls_losses[0]) / len(imgs),
            "roi_loc_loss": 2 * roi_loc_loss,
            "roi_cls_loss": roi_cls_loss,
        }

    def _of_hardest(
        self, roi_cls_locs: Any, roi_scores: Any, gt_roi_loc: Array, gt_roi_label: Array, n_hard: int
    ) -> tuple[Any, Any]:
        """The mean losses of moves and of classes over the regions whose sum of both is largest."""
        xp = get_array_module(gt_roi_label)
        n = len(gt_roi_label)
        moves = get_item(reshape(roi_cls_locs, (n, -1, 4)), (xp.arange(n), gt_roi_label))
        target = gt_roi_loc.astype(moves.dtype, copy=False)
        loc_losses = huber_loss(moves, target, self.roi_sigma**-2) * self.roi_sigma**2
        loc_losses = loc_losses * (gt_roi_label > 0).astype(moves.dtype)
        cls_losses = softmax_cross_entropy(roi_scores, gt_roi_label, reduce="no")
        hardest = xp.argsort(-(loc_losses.array + cls_losses.array))[:n_hard]
        return tuple(sum_of(get_item(losses, hardest)) / len(hardest) for losses in (loc_losses, cls_losses))  # type: ignore[return-value]
