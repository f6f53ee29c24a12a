"""The loss of FCIS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import get_array_module, to_host
from renga_core.graph import Variable, as_array
from renga_core.graph.operators import get_item
from renga_core.link import Chain
from renga_core.reporter import report
from renga_cv.links.model.faster_rcnn.anchor_target_creator import AnchorTargetCreator
from renga_cv.links.model.faster_rcnn.train_chain import loc_loss
from renga_cv.links.model.fcis.fcis import FCIS
from renga_cv.links.model.fcis.proposal_target_creator import ProposalTargetCreator
from renga_nn.functions.loss import softmax_cross_entropy

__all__ = ["FCISTrainChain"]

_ANCHOR_TARGETS = AnchorTargetCreator()
_PROPOSAL_TARGETS = ProposalTargetCreator()


class FCISTrainChain(Chain):
    """Train region proposals and head together (Li et al. 2017, 3.2).

    Calling it computes the loss: the sum of the losses of moves and of classes, of proposals and of the head, and of
    the pixels of regions. The losses are reported as ``rpn_loc_loss``, ``rpn_cls_loss``, ``roi_loc_loss``,
    ``roi_cls_loss``, ``roi_mask_loss`` and ``loss``.

    Args:
        fcis: The network, with ``iter2=False``.
        rpn_sigma, roi_sigma: For proposals and for the head; the smooth L1 loss becomes linear at ``1 / sigma**2``.
        anchor_target_creator: Computes the targets of anchors.
        proposal_target_creator: Computes the targets of regions.

    Attributes:
        mask_size: Height and width of masks.
    """

    def __init__(
        self,
        fcis: FCIS,
        rpn_sigma: float = 3.0,
        roi_sigma: float = 1.0,
        anchor_target_creator: AnchorTargetCreator = _ANCHOR_TARGETS,
        proposal_target_creator: ProposalTargetCreator = _PROPOSAL_TARGETS,
    ) -> None:
        super().__init__()
        with self.init_scope():
            self.fcis = fcis
        self.rpn_sigma = rpn_sigma
        self.roi_sigma = roi_sigma
        self.anchor_target_creator = anchor_target_creator
        self.proposal_target_creator = proposal_target_creator
        self.loc_normalize_mean = fcis.loc_normalize_mean
        self.loc_normalize_std = fcis.loc_normalize_std
        self.mask_size: int = fcis.head.roi_size

    def forward(self, imgs: Any, masks: Any, labels: Any, bboxes: Any, scale: Any) -> Variable:
        """The loss of one image.

        Args:
            imgs: Images ``(1, 3, H, W)``, prepared.
            masks: Masks of its instances, bool ``(1, R, H, W)``.
            labels: The classes, int32 ``(1, R)``, from 0.
            bboxes: Their boxes, float32 ``(1, R, 4)``, in pixels of the prepared image.
            scale: Scale factor of the image, ``(1,)`` or a number.

        Returns:
            Variable, a scalar.

        Raises:
            ValueError: There are several images, or the head evaluates regions twice (`iter2`).
        """
        losses = self.losses(imgs, masks, labels, bboxes, scale)
        loss: Variable = sum(losses.values())  # type: ignore[assignment]  # of Variables, and some
        report({**losses, "loss": loss}, self)
        return loss

    def losses(self, imgs: Any, masks: Any, labels: Any, bboxes: Any, scale: Any) -> dict[str, Variable]:
        """The parts of the loss, by name; nothing is reported. For arguments and errors, see `forward`."""
        if len(imgs) != 1:
            raise ValueError(
                f"FCISTrainChain learns from one image at a time, not from {len(imgs)}: set the batch size to 1"
            )
        if self.fcis.head.iter2:
            raise ValueError(
                "FCISTrainChain: the head also returns moved regions, which have no targets: set iter2=False"
            )
        img_size = tuple(imgs.shape[2:])
        mask, label, bbox = as_array(masks[0]), as_array(labels[0]), as_array(bboxes[0])
        each_scale = [float(value) for value in (scale if isinstance(scale, Sequence) else np.ravel(to_host(scale)))]
        rpn_features, roi_features = self.fcis.extractor(imgs)
        rpn_locs, rpn_scores, rois, _, anchor = self.fcis.rpn(rpn_features, img_size, each_scale)
        sample_roi, gt_mask, gt_label, gt_loc = self.proposal_target_creator(
            rois,
            mask,
            label,
            bbox,
            self.loc_normalize_mean,
            self.loc_normalize_std,
            (self.mask_size, self.mask_size),
        )
        xp, n = get_array_module(sample_roi), len(sample_roi)
        seg_scores, locs, cls_scores, _, _ = self.fcis.head(
            roi_features, sample_roi, xp.zeros(n, dtype="int32"), img_size, gt_label
        )
        gt_rpn_loc, gt_rpn_label = self.anchor_target_creator(bbox, anchor, img_size)
        moves = get_item(locs, (xp.arange(n), (gt_label > 0).astype("int32")))
        return {
            "rpn_loc_loss": loc_loss(rpn_locs[0], gt_rpn_loc, gt_rpn_label, self.rpn_sigma),
            "rpn_cls_loss": softmax_cross_entropy(rpn_scores[0], gt_rpn_label),
            "roi_loc_loss": loc_loss(moves, gt_loc, gt_label, self.roi_sigma),
            "roi_cls_loss": softmax_cross_entropy(cls_scores, gt_label),
            "roi_mask_loss": softmax_cross_entropy(seg_scores, gt_mask, normalize=False) * (10 / self.mask_size**2),
        }
