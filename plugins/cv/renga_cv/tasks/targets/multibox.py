"""The loss of networks with default boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import get_backend
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.link import Link
from renga_cv.links.model.small.box_masks import masks_in_boxes
from renga_cv.links.model.ssd.multibox_loss import multibox_loss
from renga_cv.tasks.targets.target import Array, DetectionTarget
from renga_cv.transforms.bbox import resize_bbox
from renga_cv.transforms.image.resize import resize
from renga_cv.utils.mask import mask_to_bbox
from renga_nn.functions.loss import sigmoid_cross_entropy

__all__ = ["MultiboxMaskTarget", "MultiboxTarget"]

_JITTER = 0.06  # largest random shift of a box's edges, because predicted boxes are not exact


class MultiboxTarget(DetectionTarget):
    """The loss of an `SSD`: `multibox_loss`.

    Args:
        predictor: The `SSD`.
        negatives: Number of background boxes per object box.
    """

    def __init__(self, predictor: Link, negatives: float = 3) -> None:
        super().__init__(predictor)
        self._negatives = negatives

    def losses(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> dict[str, Variable]:
        """Return the losses of locations and classes. `truth` are boxes."""
        x, boxes = self._prepared(images, truth)
        return self._of_outputs(self.predictor(x), boxes, labels)

    def _prepared(self, images: Sequence[Array], boxes: Sequence[Array]) -> tuple[Any, list[Array]]:
        """Return the network's input on its device, and the boxes in its pixels."""
        ssd = self.predictor
        size = (ssd.insize, ssd.insize)
        fitting = [image if image.shape[1:] == size else resize(image, size) for image in images]
        x = ssd.device.send((np.stack(fitting) - ssd.mean).astype(np.float32))
        return x, [resize_bbox(box, image.shape[1:], size) for image, box in zip(images, boxes, strict=True)]

    def _of_outputs(
        self, outputs: tuple[Any, Any], boxes: Sequence[Array], labels: Sequence[Array]
    ) -> dict[str, Variable]:
        """Return the losses of the network's output, given the truth."""
        ssd = self.predictor
        encoded = [ssd.coder.encode(box, label) for box, label in zip(boxes, labels, strict=True)]
        locations, classes = (ssd.device.send(np.stack(each)) for each in zip(*encoded, strict=True))
        loc_loss, conf_loss = multibox_loss(*outputs, locations, classes, self._negatives)
        return {"loc_loss": loc_loss, "conf_loss": conf_loss}


class MultiboxMaskTarget(MultiboxTarget):
    """The loss of a `SmallInstanceSegmenter`: the one of `MultiboxTarget`, and the sigmoid cross entropy of mask cells.
    For the arguments, see `MultiboxTarget`.
    """

    def losses(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> dict[str, Variable]:
        """Return the losses of locations, classes and masks. `truth` are masks."""
        network = self.predictor
        x, boxes = self._prepared(images, [mask_to_bbox(mask) for mask in truth])
        locs, confs, finest = network.with_map(x)
        losses = self._of_outputs((locs, confs), boxes, labels)
        if sum(map(len, boxes)):
            regions = [_jittered(box) if config.train else box for box in boxes]
            inside = (network.insize, network.insize)
            cells = [
                masks_in_boxes(mask, resize_bbox(region, inside, mask.shape[1:]), network.mask_side)
                for mask, region in zip(truth, regions, strict=True)
            ]
            right = network.device.send(np.concatenate(cells).astype(np.int32))
            losses["mask_loss"] = sigmoid_cross_entropy(network.mask_scores(finest, regions), right)
        return losses


def _jittered(boxes: Array) -> Array:
    """Move the corners of boxes a little, at random."""
    extent = np.tile(boxes[:, 2:] - boxes[:, :2], 2)
    moves = random.generator(get_backend("numpy")).uniform(-_JITTER, _JITTER, boxes.shape)
    moved: Array = (boxes + moves * extent).astype(np.float32)
    return moved
