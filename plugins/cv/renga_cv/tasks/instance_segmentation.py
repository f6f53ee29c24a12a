"""Which objects are where, and which pixels do they cover?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import get_backend
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.link import Link
from renga_core.reporter import report
from renga_cv.evaluations.eval_instance_segmentation_voc import eval_instance_segmentation_voc
from renga_cv.links.model.small.box_masks import masks_in_boxes
from renga_cv.tasks.detection import Detection, MultiboxTarget, multibox_losses, prepared
from renga_cv.tasks.drawing import with_masks
from renga_cv.tasks.picture_task import Array
from renga_cv.transforms.bbox import resize_bbox
from renga_cv.utils.mask import mask_to_bbox
from renga_nn.functions.loss import sigmoid_cross_entropy

__all__ = ["InstanceSegmentation"]

_JITTER = 0.06  # of a box's edges: what is found later is not exact either


class InstanceSegmentation(Detection):
    """A mask for each object, and its class. The model is a `SmallInstanceSegmenter`.

    Examples are images (3, H, W), masks bool (R, H, W), none of them empty, and classes int32 (R,). The loss is that of
    `Detection`, and the sigmoid cross entropy of the cells of masks. Figures as of `Detection`, by the overlap of masks
    instead of boxes.

    Args:
        iou_thresh: How much of a mask must be right, as intersection over union, for the average precision.
        negatives: How many boxes of the background count for each with an object, in the loss.
    """

    figures = ("loss", "loc_loss", "conf_loss", "mask_loss", "map")
    target_type = "masks"

    def target(self, model: Link) -> Link:
        """The loss of a model."""
        return _MaskTarget(model, self._negatives)

    def measure(self, compared: Sequence[Any]) -> dict[str, float]:
        """Average precisions."""
        pictures = [picture for batch in compared for picture in batch]
        masks, labels, scores, *truth = zip(*pictures, strict=True)
        result = eval_instance_segmentation_voc(masks, labels, scores, truth[0], truth[1], iou_thresh=self._iou_thresh)
        each = {f"ap/{self._name(label)}": float(ap) for label, ap in enumerate(result["ap"])}
        return {"map": float(result["map"]), **each}

    def objects(self, prediction: Any) -> tuple[Array, Array, Array, Array | None]:
        """Boxes around masks, classes, scores and masks of what was found in a picture, without empty masks."""
        masks, labels, scores = (np.asarray(each) for each in prediction)
        kept = masks.any((1, 2))
        return mask_to_bbox(masks[kept]), labels[kept], scores[kept], masks[kept]

    def draw(self, image: Array, prediction: Any) -> Array:
        """The image with masks, the boxes around them, and class and score of each."""
        masks, labels, _ = prediction
        return super().draw(with_masks(image, masks, labels), prediction)


class _MaskTarget(MultiboxTarget):
    """The loss of a `SmallInstanceSegmenter`."""

    def forward(self, images: Sequence[Array], masks: Sequence[Array], labels: Sequence[Array]) -> Variable:
        """The loss of pictures. All arguments are lists of host arrays, an entry for each picture."""
        network: Any = self.predictor
        truth = [mask_to_bbox(mask) for mask in masks]
        x, boxes = prepared(network, images, truth)
        locs, confs, finest = network.with_map(x)
        losses = multibox_losses(network, (locs, confs), boxes, labels, self._negatives)
        if sum(map(len, boxes)):
            regions = [_jittered(box) if config.train else box for box in boxes]
            inside = (network.insize, network.insize)
            cells = [
                masks_in_boxes(mask, resize_bbox(region, inside, mask.shape[1:]), network.mask_side)
                for mask, region in zip(masks, regions, strict=True)
            ]
            right = network.device.send(np.concatenate(cells).astype(np.int32))
            losses["mask_loss"] = sigmoid_cross_entropy(network.mask_scores(finest, regions), right)
        loss: Variable = sum(list(losses.values())[1:], losses["loc_loss"])
        report({"loss": loss, **losses}, self)
        return loss


def _jittered(boxes: Array) -> Array:
    """Boxes whose corners are moved a little, at random."""
    extent = np.tile(boxes[:, 2:] - boxes[:, :2], 2)
    moves = random.generator(get_backend("numpy")).uniform(-_JITTER, _JITTER, boxes.shape)
    moved: Array = (boxes + moves * extent).astype(np.float32)
    return moved
