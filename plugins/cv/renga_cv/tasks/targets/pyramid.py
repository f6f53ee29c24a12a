"""The loss of Faster R-CNN and Mask R-CNN on a pyramid of features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from renga_core.backend import get_array_module
from renga_core.configuration import config, using_config
from renga_core.graph import Variable
from renga_cv.links.model.faster_rcnn.scaling import enlarged_size
from renga_cv.links.model.fpn.bbox_head_loss import bbox_head_loss_post, bbox_head_loss_pre
from renga_cv.links.model.fpn.feature_pyramid import is_kept
from renga_cv.links.model.fpn.mask_head_loss import mask_head_loss_post, mask_head_loss_pre
from renga_cv.links.model.fpn.rpn_loss import rpn_loss
from renga_cv.tasks.targets.target import Array, DetectionTarget
from renga_cv.utils.mask import mask_to_bbox, resize_mask

__all__ = ["MaskPyramidTarget", "PyramidTarget"]


class PyramidTarget(DetectionTarget):
    """The loss of an FPN's `FasterRCNN`: `rpn_loss`, and the loss of its head. The true boxes are added to the
    proposals (Lin et al. 2017, 4).

    An extractor marked by `keep_trained` runs in test mode.

    Args:
        predictor: The `FasterRCNN`.
    """

    def losses(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> dict[str, Variable]:
        """Return the losses of locations and classes, of proposals and head. `truth` are boxes."""
        x, scales = self.predictor.prepare(images)
        boxes = [(box * scale).astype(np.float32) for box, scale in zip(truth, scales, strict=True)]
        return self._of_parts(x, self._sizes(images, scales), boxes, labels)

    def _sizes(self, images: Sequence[Array], scales: Sequence[float]) -> list[tuple[int, int]]:
        """Return height and width of each input image, without padding."""
        return [enlarged_size(image.shape[1:], scale) for image, scale in zip(images, scales, strict=True)]

    def _of_parts(
        self,
        x: Array,
        sizes: Sequence[tuple[int, int]],
        boxes: Sequence[Array],
        labels: Sequence[Array],
        masks: Sequence[Array] | None = None,
    ) -> dict[str, Variable]:
        """Return the losses of prepared images ``(N, 3, H, W)``, given the truth."""
        network, count = self.predictor, len(sizes)
        with using_config("train", config.train and not is_kept(network.extractor)):
            hs = network.extractor(x)
        locs, confs = network.rpn(hs)
        anchors = network.rpn.anchors([h.shape[2:] for h in hs])
        rpn_loc_loss, rpn_cls_loss = rpn_loss(locs, confs, anchors, sizes, boxes)
        rois, image = network.rpn.decode(locs, confs, anchors, x.shape)
        xp, send = get_array_module(rois), network.device.send
        true_image = np.repeat(np.arange(count, dtype=np.int32), [len(box) for box in boxes])
        rois = xp.concatenate([rois, send(np.concatenate(list(boxes)))])
        image = xp.concatenate([image, send(true_image)])
        head = network.bbox_head
        roi, of_image = head.distribute(rois, image)
        roi, of_image, gt_loc, gt_label = bbox_head_loss_pre(roi, of_image, head.std, boxes, labels)
        moves, scores = head(hs, roi, of_image)
        roi_loc_loss, roi_cls_loss = bbox_head_loss_post(moves, scores, of_image, gt_loc, gt_label, count)
        losses = {
            "rpn_loc_loss": rpn_loc_loss,
            "rpn_cls_loss": rpn_cls_loss,
            "roi_loc_loss": roi_loc_loss,
            "roi_cls_loss": roi_cls_loss,
        }
        if masks is not None and any(len(box) for box in boxes):
            size = network.mask_head.segm_size
            roi, of_image, gt_segm, gt_label = mask_head_loss_pre(roi, of_image, masks, boxes, gt_label, size)
            segms = network.mask_head(hs, roi, of_image)
            losses["roi_mask_loss"] = mask_head_loss_post(segms, of_image, gt_segm, gt_label, count)
        return losses


class MaskPyramidTarget(PyramidTarget):
    """The loss of Mask R-CNN: the one of `PyramidTarget`, and the loss of masks (He et al. 2017, 3). For the arguments,
    see `PyramidTarget`.
    """

    def losses(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> dict[str, Variable]:
        """Return the losses of `PyramidTarget` and of masks. `truth` are masks."""
        x, scales = self.predictor.prepare(images)
        sizes = self._sizes(images, scales)
        masks = [resize_mask(mask, size) for mask, size in zip(truth, sizes, strict=True)]
        return self._of_parts(x, sizes, [mask_to_bbox(mask) for mask in masks], labels, masks)
