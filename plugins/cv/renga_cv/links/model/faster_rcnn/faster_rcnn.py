"""A two-stage detector: it proposes regions, then classifies them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, to_host
from renga_core.graph import Variable
from renga_core.link import Link
from renga_cv.links.model.faster_rcnn.box_coding import loc2bbox
from renga_cv.links.model.faster_rcnn.region_detections import suppress
from renga_cv.links.model.faster_rcnn.region_network import RegionNetwork
from renga_cv.links.model.inference import inference
from renga_nn.functions.activation import softmax

__all__ = ["FasterRCNN"]

Host = np.ndarray[Any, Any]


class FasterRCNN(RegionNetwork):
    """Detect objects in two stages (Ren et al. 2015).

    The extractor makes features of images; the region proposal network finds regions that may contain an object; the
    head classifies each region and moves it to the object.

    Args:
        extractor: Link from images ``(N, 3, H, W)`` to features.
        rpn: Link like `RegionProposalNetwork`.
        head: Link from features, `rois` and `roi_indices` to a move for each region and class, ``(R, 4 * n_class)``,
            and scores ``(R, n_class)``. Class 0 is the background. It has the attribute `n_class`.
        mean: The mean colour, subtracted from images, float32 ``(3, 1, 1)``.
        min_size, max_size: Target length of the shorter side, and limit of the longer side; see `prepare`.
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
        min_size: int = 600,
        max_size: int = 1000,
        loc_normalize_mean: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        loc_normalize_std: Sequence[float] = (0.1, 0.1, 0.2, 0.2),
    ) -> None:
        super().__init__(extractor, rpn, head, mean, min_size, max_size, loc_normalize_mean, loc_normalize_std)

    def forward(self, x: Any, scales: Sequence[float] | None = None) -> tuple[Variable, Variable, Array, Array]:
        """Regions of images, with a move and scores for each.

        Args:
            x: Images ``(N, 3, H, W)``, prepared.
            scales: Scale factor of each image, ``(N,)``; None for 1.

        Returns:
            `roi_cls_locs`, Variable ``(R, 4 * n_class)``; `roi_scores`, Variable ``(R, n_class)``; `rois`, float32
            ``(R, 4)``; `roi_indices`, int32 ``(R,)``, the image index of each region.
        """
        h = self.extractor(x)
        _, _, rois, roi_indices, _ = self.rpn(h, tuple(x.shape[2:]), scales)
        roi_cls_locs, roi_scores = self.head(h, rois, roi_indices)
        return roi_cls_locs, roi_scores, rois, roi_indices

    def use_preset(self, preset: str) -> None:
        """Set the thresholds of `predict`.

        Args:
            preset: ``"visualize"``: scores above 0.7, for viewing; ``"evaluate"``: scores above 0.05, for mean average
                precision. If two boxes have an IoU of 0.3 or more, the worse one is dropped.

        Raises:
            ValueError: The preset is unknown.
        """
        thresholds = {"visualize": 0.7, "evaluate": 0.05}
        if preset not in thresholds:
            raise ValueError(f"use_preset: there is no preset {preset!r}; choose from {', '.join(thresholds)}")
        self.nms_thresh = 0.3
        self.score_thresh = thresholds[preset]

    def predict(self, imgs: Sequence[Host]) -> tuple[list[Host], list[Host], list[Host]]:
        """Detect objects in images of any size, image by image.

        Args:
            imgs: Images, float32 ``(3, H, W)``, from 0 to 255.

        Returns:
            For each image `bboxes` float32 ``(R, 4)``, inside the image; `labels` int32 ``(R,)``, from 0; `scores`
            float32 ``(R,)``: class by class, best first. On the host.
        """
        found = [self._predict(img) for img in imgs]
        bboxes, labels, scores = ([each[k] for each in found] for k in range(3))
        return bboxes, labels, scores

    def _predict(self, img: Host) -> tuple[Host, Host, Host]:
        height, width = img.shape[1:]
        x = self.device.send(self.prepare(img)[None])
        scale = x.shape[3] / width
        with inference():
            locs, scores, rois, _ = self.forward(x, scales=[scale])
            prob = softmax(scores).array
        xp = get_array_module(prob)
        constants = self.loc_normalize_mean, self.loc_normalize_std
        mean, std = (self.device.send(np.asarray(value, np.float32)) for value in constants)
        moves = locs.array.reshape(-1, self.n_class, 4) * std + mean
        moved = loc2bbox(rois / scale, moves.reshape(-1, self.n_class * 4)).reshape(-1, self.n_class, 4)
        # One transfer for all images.
        host = to_host(xp.concatenate((moved, prob[..., None]), axis=2))
        bbox, score = np.clip(host[..., :4], 0, np.array((height, width) * 2, host.dtype)), host[..., 4]
        return suppress(bbox, score, score > self.score_thresh, self.nms_thresh)
