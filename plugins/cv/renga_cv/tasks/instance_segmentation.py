"""Which objects are where, and which pixels do they cover?"""

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
    """A mask for each object, and its class. The model is a Mask R-CNN, an FCIS, or a `SmallInstanceSegmenter`.

    Examples are images (3, H, W), masks bool (R, H, W), none of them empty, and classes int32 (R,). The loss is that of
    the model's paper. Its parts are those of `Detection`, and ``roi_mask_loss``; of the small one, ``mask_loss``, the
    sigmoid cross entropy of the cells of masks. Figures as of `Detection`, by the overlap of masks instead of boxes.

    Args:
        iou_thresh: How much of a mask must be right, as intersection over union, for the average precision.
        negatives: How many boxes of the background count for each with an object, in the loss of the small one.
    """

    target_type = "masks"

    def target(self, model: Link) -> Link:
        """The loss of a model.

        Raises:
            RengaError: There is none for such a model.
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
