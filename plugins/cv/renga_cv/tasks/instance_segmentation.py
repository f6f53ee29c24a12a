"""Instance segmentation: find objects and the pixels they cover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.link import Link
from renga_cv.evaluations.eval_instance_segmentation_voc import eval_instance_segmentation_voc
from renga_cv.links.model.fcis.fcis import FCIS
from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN as PyramidFasterRCNN
from renga_cv.links.model.small.instance_segmenter import SmallInstanceSegmenter
from renga_cv.tasks.detection import Detection, no_loss
from renga_cv.tasks.drawing import with_masks
from renga_cv.tasks.picture_task import Array
from renga_cv.tasks.targets.multibox import MultiboxMaskTarget
from renga_cv.tasks.targets.pyramid import MaskPyramidTarget
from renga_cv.tasks.targets.regions import FCISTarget
from renga_cv.utils.mask import mask_to_bbox

__all__ = ["InstanceSegmentation"]


class InstanceSegmentation(Detection):
    """Finds a mask and a class for each object. The model is a Mask R-CNN, an FCIS, or a `SmallInstanceSegmenter`.

    Examples are images (3, H, W), masks bool (R, H, W), none of them empty, and classes int32 (R,). The loss is the one
    of the model's paper. It reports the parts of `Detection`, and ``roi_mask_loss``; the small model reports
    ``mask_loss``, the sigmoid cross entropy of mask cells. Metrics are those of `Detection`, with the overlap of masks
    instead of boxes.

    Args:
        iou_thresh: Smallest intersection over union of a hit, for the average precision.
        negatives: Number of background boxes per object box in the small model's loss.
    """

    target_type = "masks"

    def target(self, model: Link) -> Link:
        """The loss of a model.

        Raises:
            RengaError: There is no loss for this model.
        """
        match model:
            case SmallInstanceSegmenter():
                return MultiboxMaskTarget(model, self._negatives)
            case PyramidFasterRCNN(mask_head=Link()):
                return MaskPyramidTarget(model)
            case FCIS():
                return FCISTarget(model)
        raise no_loss(self, model, "a Mask R-CNN, an FCIS, or a SmallInstanceSegmenter")

    def measure(self, compared: Sequence[Any]) -> dict[str, float]:
        """Return average precisions."""
        pictures = [picture for batch in compared for picture in batch]
        masks, labels, scores, *truth = zip(*pictures, strict=True)
        result = eval_instance_segmentation_voc(masks, labels, scores, truth[0], truth[1], iou_thresh=self._iou_thresh)
        each = {f"ap/{self._name(label)}": float(ap) for label, ap in enumerate(result["ap"])}
        return {"map": float(result["map"]), **each}

    def objects(self, prediction: Any) -> tuple[Array, Array, Array, Array | None]:
        """Return boxes around masks, classes, scores and masks found in a picture, without empty masks."""
        masks, labels, scores = (np.asarray(each) for each in prediction)
        kept = masks.any((1, 2))
        return mask_to_bbox(masks[kept]), labels[kept], scores[kept], masks[kept]

    def draw(self, image: Array, prediction: Any) -> Array:
        """Draw masks with their boxes, classes and scores."""
        masks, labels, _ = prediction
        return super().draw(with_masks(image, masks, labels), prediction)
