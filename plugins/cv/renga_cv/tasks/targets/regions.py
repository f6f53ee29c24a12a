"""The losses of networks that propose regions on one map: Faster R-CNN on VGG16, Light-Head R-CNN, FCIS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_cv.links.model.faster_rcnn.train_chain import FasterRCNNTrainChain
from renga_cv.links.model.fcis.train_chain import FCISTrainChain
from renga_cv.links.model.light_head_rcnn.train_chain import LightHeadRCNNTrainChain
from renga_cv.tasks.targets.target import Array, DetectionTarget, mean_of_pictures
from renga_cv.transforms.bbox import resize_bbox
from renga_cv.utils.mask import mask_to_bbox, resize_mask
from renga_data.convert import concat_examples

__all__ = ["FCISTarget", "FasterRCNNTarget", "LightHeadRCNNTarget"]


class FasterRCNNTarget(DetectionTarget):
    """The loss of a `FasterRCNN`: the mean of `FasterRCNNTrainChain` over pictures.

    Args:
        predictor: The `FasterRCNN`.
    """

    def __init__(self, predictor: Any) -> None:
        super().__init__(predictor)
        self._chain = FasterRCNNTrainChain(predictor)

    def losses(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> dict[str, Variable]:
        """Return the losses of locations and classes, of proposals and head. `truth` are boxes."""
        each = []
        for image, box, label in zip(images, truth, labels, strict=True):
            x, boxes, scales = _prepared(self.predictor, [image], [box])
            each.append(self._chain.losses(x, boxes, [label], scales))
        return mean_of_pictures(each)


class LightHeadRCNNTarget(DetectionTarget):
    """The loss of a `LightHeadRCNN`: `LightHeadRCNNTrainChain`.

    Args:
        predictor: The `LightHeadRCNN`.
    """

    def __init__(self, predictor: Any) -> None:
        super().__init__(predictor)
        self._chain = LightHeadRCNNTrainChain(predictor)

    def losses(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> dict[str, Variable]:
        """Return the losses of locations and classes, of proposals and head. `truth` are boxes."""
        x, boxes, scales = _prepared(self.predictor, images, truth)
        return self._chain.losses(x, boxes, labels, scales)


class FCISTarget(DetectionTarget):
    """The loss of an `FCIS`: the mean of `FCISTrainChain` over pictures.

    Args:
        predictor: The `FCIS`.
    """

    def __init__(self, predictor: Any) -> None:
        super().__init__(predictor)
        self._chain = FCISTrainChain(predictor)

    def losses(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> dict[str, Variable]:
        """Return the losses of locations, classes and masks, of proposals and head. `truth` are masks."""
        head = self.predictor.head
        twice, head.iter2 = head.iter2, False  # moved regions have no targets
        try:
            each = []
            for image, mask, label in zip(images, truth, labels, strict=True):
                x, boxes, scales = _prepared(self.predictor, [image], [mask_to_bbox(mask)])
                masks = resize_mask(mask, x.shape[2:])
                each.append(self._chain.losses(x, [masks], [label], boxes, scales))
        finally:
            head.iter2 = twice
        return mean_of_pictures(each)


def _prepared(network: Any, images: Sequence[Array], boxes: Sequence[Array]) -> tuple[Any, list[Array], list[float]]:
    """Return the input of a `RegionNetwork` in one array on its device, the boxes in its pixels, and each image's
    scale. Smaller images are padded with zeros at the bottom and on the right.
    """
    fitting = [network.prepare(image) for image in images]
    scales = [now.shape[2] / image.shape[2] for now, image in zip(fitting, images, strict=True)]
    moved = [
        resize_bbox(box, image.shape[1:], now.shape[1:]) for box, image, now in zip(boxes, images, fitting, strict=True)
    ]
    return network.device.send(concat_examples(fitting, padding=0)), moved, scales
