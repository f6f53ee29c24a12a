"""The head that classifies regions and predicts their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_device_of, to_host
from renga_core.graph import Variable
from renga_core.graph.operators import cast, reshape
from renga_core.link import Chain
from renga_cv.functions.detection.boxes import clipped, moved
from renga_cv.functions.detection.objects import objects
from renga_cv.links.model.faster_rcnn.region_detections import suppress
from renga_cv.links.model.fpn.align_on_levels import align_on_levels
from renga_cv.links.model.fpn.levels import by_level, pool_levels
from renga_cv.links.model.fpn.misc import exp_clip, move_boxes
from renga_nn.functions.activation import relu, softmax
from renga_nn.initializers import GlorotUniform, Normal
from renga_nn.links.linear import Linear

__all__ = ["BboxHead"]

Host = np.ndarray[Any, Any]


class BboxHead(Chain):
    """Classify regions of a feature pyramid, and move them to objects (Lin et al. 2017, 4.2).

    Args:
        n_class: Number of classes, with the background.
        scales: Ratio of the size of each level to the size of the image.

    Attributes:
        fc1, fc2, loc, conf: Two hidden layers; a move for each class; a logit for each class.
    """

    _roi_size = 7

    std = (0.1, 0.2)
    """The divisors of offsets in training: dy and dx, dh and dw."""

    def __init__(self, n_class: int, scales: Sequence[float]) -> None:
        super().__init__()
        hidden = GlorotUniform()
        with self.init_scope():
            self.fc1 = Linear(None, 1024, initialW=hidden)
            self.fc2 = Linear(1024, 1024, initialW=hidden)
            self.loc = Linear(1024, n_class * 4, initialW=Normal(0.001))
            self.conf = Linear(1024, n_class, initialW=Normal(0.01))
        self._n_class = n_class
        self._scales = scales

    def forward(
        self, hs: Sequence[Any], rois: Sequence[Array], roi_indices: Sequence[Array]
    ) -> tuple[Variable, Variable]:
        """Moves and logits of regions.

        Args:
            hs: Features of each level, ``(N, 256, H, W)``.
            rois, roi_indices: Regions of each level, as `distribute` returns them.

        Returns:
            `locs`, Variable ``(R, n_class, 4)``, and `confs`, Variable ``(R, n_class)``, level by level.
        """
        return self._classified(pool_levels(hs, rois, roi_indices, self._roi_size, self._scales))

    def _classified(self, pooled: Variable) -> tuple[Variable, Variable]:
        h = relu(self.fc2(relu(self.fc1(pooled))))
        return reshape(self.loc(h), (-1, self._n_class, 4)), self.conf(h)

    def distribute(self, rois: Array, roi_indices: Array) -> tuple[list[Array], list[Array]]:
        """Sort regions into levels: large ones to coarse levels. The coarsest level has none.

        Args:
            rois: Regions, float32 ``(R, 4)``.
            roi_indices: The image index of each region, int32 ``(R,)``.

        Returns:
            The regions of each level, and their image indices.
        """
        sorted_rois, sorted_indices, _ = by_level(rois, roi_indices, len(self._scales))
        return sorted_rois, sorted_indices

    def decode(
        self,
        rois: Sequence[Array],
        roi_indices: Sequence[Array],
        locs: Variable,
        confs: Variable,
        scales: Sequence[float],
        sizes: Sequence[tuple[int, int]],
        nms_thresh: float,
        score_thresh: float,
    ) -> tuple[list[Host], list[Host], list[Host]]:
        """Objects in images.

        Args:
            rois, roi_indices: Regions of each level.
            locs, confs: The results of `forward`.
            scales: Scale factor of each image.
            sizes: Height and width of each image before scaling.
            nms_thresh: Smallest IoU at which the worse of two boxes of a class is dropped.
            score_thresh: The smallest score.

        Returns:
            For each image `bboxes` float32 ``(R', 4)``, `labels` int32 ``(R',)``, from 0, and `scores` float32
            ``(R',)``: class by class, best first. They are computed on the host, and stay there.
        """
        device, xp = get_device_of(locs.array), get_array_module(locs.array)
        image = xp.concatenate(list(roi_indices), axis=0)
        # An image may have no regions, and then no objects.
        factor = device.send(np.array(scales, np.float32))[image][:, None]
        boxes = (xp.concatenate(list(rois), axis=0) / factor)[:, None]
        std = device.send(np.repeat(self.std, 2).astype(np.float32))
        moved = move_boxes(boxes, locs.array * std)
        prob = softmax(confs, axis=1).array
        # One transfer for the whole batch.
        host = to_host(xp.concatenate((moved, prob[..., None]), axis=2))
        image = to_host(image)
        found = []
        for number, size in enumerate(sizes):
            rows = host[image == number]
            bbox, score = np.clip(rows[..., :4], 0, np.array([*size, *size], rows.dtype)), rows[..., 4]
            found.append(suppress(bbox, score, score >= score_thresh, nms_thresh))
        bboxes, labels, scores = ([each[k] for each in found] for k in range(3))
        return bboxes, labels, scores

    def detect(
        self, hs: Sequence[Any], rois: Variable, scale: Any, size: Any, nms_thresh: float, score_thresh: float
    ) -> dict[str, Variable]:
        """Objects in one image with functions only: what `decode` returns, differentiable.

        Args:
            hs: Features of each level, ``(1, 256, H, W)``.
            rois: Regions, float32 ``(R, 4)``.
            scale: Scale factor of the image, a Variable ``()``.
            size: Height and width of the image before scaling, a Variable ``(2,)``.
            nms_thresh, score_thresh: See `decode`.

        Returns:
            `boxes`, `labels`, `scores`.
        """
        locs, confs = self._classified(align_on_levels(hs, rois, self._roi_size, self._scales))
        boxes = reshape(rois / cast(scale, rois.dtype), (-1, 1, 4))
        std = self.device.send(np.repeat(self.std, 2).astype(np.float32))
        boxes = clipped(moved(boxes, locs * std, exp_clip), size)
        return objects(boxes[:, 1:], softmax(confs)[:, 1:], nms_thresh, score_thresh)
