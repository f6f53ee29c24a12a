"""The loss of Faster R-CNN."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, get_array_module, to_host
from renga_core.graph import Variable, as_array, as_variable
from renga_core.graph.operators import get_item, reshape
from renga_core.graph.operators import sum as sum_of
from renga_core.link import Chain
from renga_core.reporter import report
from renga_cv.links.model.faster_rcnn.anchor_target_creator import AnchorTargetCreator
from renga_cv.links.model.faster_rcnn.faster_rcnn import FasterRCNN
from renga_cv.links.model.faster_rcnn.proposal_target_creator import ProposalTargetCreator
from renga_nn.functions.loss import huber_loss, softmax_cross_entropy

__all__ = ["FasterRCNNTrainChain", "loc_loss"]

_ANCHOR_TARGETS = AnchorTargetCreator()
_PROPOSAL_TARGETS = ProposalTargetCreator()


class FasterRCNNTrainChain(Chain):
    """Train region proposals and head together (Ren et al. 2015, 3.2, "approximate joint training").

    Calling it computes the loss: the sum of four losses, for moves and for classes, of proposals and of the head. The
    losses are reported as ``rpn_loc_loss``, ``rpn_cls_loss``, ``roi_loc_loss``, ``roi_cls_loss`` and ``loss``.

    Args:
        faster_rcnn: The detector.
        rpn_sigma, roi_sigma: Argument `sigma` of `loc_loss`, for proposals and for the head.
        anchor_target_creator: Computes the targets of anchors.
        proposal_target_creator: Computes the targets of regions.
    """

    def __init__(
        self,
        faster_rcnn: FasterRCNN,
        rpn_sigma: float = 3.0,
        roi_sigma: float = 1.0,
        anchor_target_creator: AnchorTargetCreator = _ANCHOR_TARGETS,
        proposal_target_creator: ProposalTargetCreator = _PROPOSAL_TARGETS,
    ) -> None:
        super().__init__()
        with self.init_scope():
            self.faster_rcnn = faster_rcnn
        self.rpn_sigma = rpn_sigma
        self.roi_sigma = roi_sigma
        self.anchor_target_creator = anchor_target_creator
        self.proposal_target_creator = proposal_target_creator
        self.loc_normalize_mean = faster_rcnn.loc_normalize_mean
        self.loc_normalize_std = faster_rcnn.loc_normalize_std

    def forward(self, imgs: Any, bboxes: Any, labels: Any, scales: Any) -> Variable:
        """The loss of one image.

        Args:
            imgs: Images ``(1, 3, H, W)``, prepared.
            bboxes: Boxes ``(1, R, 4)``, in pixels of the prepared image.
            labels: The classes of the boxes ``(1, R)``, from 0.
            scales: Scale factor of the image, ``(1,)``.

        Returns:
            Variable, a scalar.

        Raises:
            ValueError: There are several images. Their boxes would have to be as many in each.
        """
        losses = self.losses(imgs, bboxes, labels, scales)
        loss = as_variable(sum(losses.values()))
        report({**losses, "loss": loss}, self)
        return loss

    def losses(self, imgs: Any, bboxes: Any, labels: Any, scales: Any) -> dict[str, Variable]:
        """The parts of the loss, by name; nothing is reported. For arguments and errors, see `forward`."""
        if len(imgs) != 1:
            raise ValueError(
                f"FasterRCNNTrainChain learns from one image at a time, not from {len(imgs)}: set the batch size to 1"
            )
        img_size = tuple(imgs.shape[2:])
        bbox, label = as_array(bboxes[0]), as_array(labels[0])
        scale = [float(to_host(as_array(scales)).reshape(-1)[0])] if hasattr(scales, "dtype") else list(scales)
        features = self.faster_rcnn.extractor(imgs)
        rpn_locs, rpn_scores, rois, _, anchor = self.faster_rcnn.rpn(features, img_size, scale)
        sample, gt_roi_loc, gt_roi_label = self.proposal_target_creator(
            rois, bbox, label, self.loc_normalize_mean, self.loc_normalize_std
        )
        xp = get_array_module(sample)
        roi_cls_locs, roi_scores = self.faster_rcnn.head(features, sample, xp.zeros(len(sample), dtype="int32"))
        gt_rpn_loc, gt_rpn_label = self.anchor_target_creator(bbox, anchor, img_size)
        n_sample = len(sample)
        moves = reshape(roi_cls_locs, (n_sample, -1, 4))
        moves = get_item(moves, (xp.arange(n_sample), gt_roi_label))
        return {
            "rpn_loc_loss": loc_loss(rpn_locs[0], gt_rpn_loc, gt_rpn_label, self.rpn_sigma),
            "rpn_cls_loss": softmax_cross_entropy(rpn_scores[0], gt_rpn_label),
            "roi_loc_loss": loc_loss(moves, gt_roi_loc, gt_roi_label, self.roi_sigma),
            "roi_cls_loss": softmax_cross_entropy(roi_scores, gt_roi_label),
        }


def loc_loss(loc: Any, target: Array, label: Array, sigma: float) -> Variable:
    """Smooth L1 loss of moves (Girshick 2015, equation 3; `sigma` as in Girshick's program).

    ``(sigma a)**2 / 2`` where ``|a| < 1 / sigma**2``, else ``|a| - 1 / (2 sigma**2)``; summed over positive boxes, and
    divided by the number of boxes that are not ignored.

    Args:
        loc: Moves ``(R, 4)``.
        target: The true moves, ``(R, 4)``.
        label: Above 0 for positive boxes, -1 for ignored ones, ``(R,)``.
        sigma: Sharpness of the loss around 0.
    """
    xp = get_array_module(label)
    number = xp.maximum((label >= 0).sum(), 1)
    weight = ((label > 0).astype(loc.dtype) * (sigma**2 / number)).astype(loc.dtype)
    losses = huber_loss(loc, target.astype(loc.dtype, copy=False), sigma**-2, reduce="no")
    y: Variable = sum_of(losses * weight[:, None])
    return y
