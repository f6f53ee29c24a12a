"""Light-Head R-CNN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_core.link import Link
from renga_cv.links.model.faster_rcnn.faster_rcnn import FasterRCNN

__all__ = ["LightHeadRCNN"]

Host = np.ndarray[Any, Any]


class LightHeadRCNN(FasterRCNN):
    """Detect objects in two stages, with a head that is fast for each region (Li et al. 2017).

    Args:
        extractor: Link from images ``(N, 3, H, W)`` to two maps: regions are proposed on the first, and classified by
            the second.
        rpn, head, mean: See `FasterRCNN`.
        min_size, max_size: Target length of the shorter side, and limit of the longer side.
        loc_normalize_mean, loc_normalize_std: Mean and standard deviation of the box offsets that the head learns.

    Attributes:
        nms_thresh, score_thresh: The thresholds of `predict`; see `use_preset`.
    """

    def __init__(
        self,
        extractor: Link,
        rpn: Link,
        head: Any,
        mean: Host,
        min_size: int,
        max_size: int,
        loc_normalize_mean: Sequence[float],
        loc_normalize_std: Sequence[float],
    ) -> None:
        super().__init__(extractor, rpn, head, mean, min_size, max_size, loc_normalize_mean, loc_normalize_std)

    def forward(self, x: Any, scales: Sequence[float] | None = None) -> tuple[Variable, Variable, Array, Array]:
        """Regions of images, with a move and scores for each; as `FasterRCNN.forward`.

        Args:
            x: Images ``(N, 3, H, W)``, prepared.
            scales: Scale factor of each image, ``(N,)``; None for 1.
        """
        rpn_features, roi_features = self.extractor(x)
        _, _, rois, roi_indices, _ = self.rpn(rpn_features, tuple(x.shape[2:]), scales)
        roi_cls_locs, roi_scores = self.head(roi_features, rois, roi_indices)
        return roi_cls_locs, roi_scores, rois, roi_indices

    def use_preset(self, preset: str) -> None:
        """Set the thresholds of `predict`.

        Args:
            preset: ``"visualize"``: scores above 0.7, for viewing; ``"evaluate"``: scores above 0.001, for mean average
                precision. If two boxes have an IoU of 0.5 or more, the worse one is dropped.

        Raises:
            ValueError: The preset is unknown.
        """
        thresholds = {"visualize": 0.7, "evaluate": 0.001}
        if preset not in thresholds:
            raise ValueError(f"use_preset: there is no preset {preset!r}; choose from {', '.join(thresholds)}")
        self.nms_thresh = 0.5
        self.score_thresh = thresholds[preset]

    def predict(self, imgs: Sequence[Host]) -> tuple[list[Host], list[Host], list[Host]]:
        """Detect objects in images of any size, image by image.

        Args:
            imgs: Images, float32 ``(3, H, W)``, from 0 to 255.

        Returns:
            For each image `bboxes` float32 ``(R, 4)``, inside the image; `labels` int32 ``(R,)``, from 0; `scores`
            float32 ``(R,)``: best first, all classes together. On the host.
        """
        bboxes, labels, scores = super().predict(imgs)
        order = [np.argsort(-score, kind="stable") for score in scores]
        return (
            [bbox[best] for bbox, best in zip(bboxes, order, strict=True)],
            [label[best] for label, best in zip(labels, order, strict=True)],
            [score[best] for score, best in zip(scores, order, strict=True)],
        )
