"""FCIS: instance segmentation in two stages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, to_host
from renga_core.graph import Variable
from renga_cv.links.model.faster_rcnn.region_network import RegionNetwork
from renga_cv.links.model.fcis.mask_voting import mask_voting
from renga_cv.links.model.fcis.masks import Host, paste
from renga_cv.links.model.inference import inference
from renga_nn.functions.activation import softmax

__all__ = ["FCIS"]


class FCIS(RegionNetwork):
    """Segment instances: propose regions, and classify them and their pixels with the same maps (Li et al. 2017).

    Args:
        extractor: Link from images ``(N, 3, H, W)`` to two maps: regions are proposed on the first, and classified by
            the second.
        rpn: Link like `renga.cv.links.model.faster_rcnn.RegionProposalNetwork`.
        head: Link like `FCISResNet101Head`.
        mean: The mean colour, subtracted from images, float32 ``(3, 1, 1)``.
        min_size, max_size: Target length of the shorter side, and limit of the longer side.
        loc_normalize_mean, loc_normalize_std: Mean and standard deviation of the box offsets that the head learns.

    Attributes:
        nms_thresh, score_thresh, mask_merge_thresh, binary_thresh, limit: Arguments that `predict` passes to
            `mask_voting`.
        min_drop_size: Regions with a shorter side, in pixels of the image, are dropped.
    """

    def forward(
        self, x: Any, scales: Sequence[float] | None = None
    ) -> tuple[Variable, Variable, Variable, Array, Array]:
        """Regions of images, with scores of pixels and of classes, and moves.

        Args:
            x: Images ``(N, 3, H, W)``, prepared.
            scales: Scale factor of each image, ``(N,)``; None for 1.

        Returns:
            See `FCISResNet101Head`: `roi_ag_seg_scores`, Variable ``(R, 2, h, w)``, outside and inside; `roi_ag_locs`,
            Variable ``(R, 2, 4)``, for background and object; `roi_cls_scores`, Variable ``(R, n_class)``; `rois`,
            float32 ``(R, 4)``; `roi_indices`, int32 ``(R,)``, the image index of each region.
        """
        img_size = tuple(x.shape[2:])
        rpn_features, roi_features = self.extractor(x)
        _, _, rois, roi_indices, _ = self.rpn(rpn_features, img_size, scales)
        outputs: tuple[Variable, Variable, Variable, Array, Array] = self.head(
            roi_features, rois, roi_indices, img_size
        )
        return outputs

    def use_preset(self, preset: str) -> None:
        """Set the thresholds of `predict`.

        Args:
            preset: ``"visualize"``: probabilities from 0.7, for viewing; ``"evaluate"``: from 0.001, for mean average
                precision; ``"coco_evaluate"``: the same, but regions from 2 pixels instead of 16.

        Raises:
            ValueError: The preset is unknown.
        """
        thresholds = {"visualize": 0.7, "evaluate": 0.001, "coco_evaluate": 0.001}
        if preset not in thresholds:
            raise ValueError(f"use_preset: there is no preset {preset!r}; choose from {', '.join(thresholds)}")
        self.nms_thresh = 0.3
        self.score_thresh = thresholds[preset]
        self.mask_merge_thresh = 0.5
        self.binary_thresh = 0.4
        self.limit = 100
        self.min_drop_size = 2 if preset == "coco_evaluate" else 16

    def predict(self, imgs: Sequence[Host]) -> tuple[list[Host], list[Host], list[Host]]:
        """Segment the instances in images of any size, image by image.

        Args:
            imgs: Images, float32 ``(3, H, W)``, from 0 to 255.

        Returns:
            For each image `masks` bool ``(R, H, W)``; `labels` int32 ``(R,)``, from 0; `scores` float32 ``(R,)``: class
            by class, best first. On the host.
        """
        found = [self._predict(img) for img in imgs]
        masks, labels, scores = ([each[k] for each in found] for k in range(3))
        return masks, labels, scores

    def _predict(self, img: Host) -> tuple[Host, Host, Host]:
        height, width = img.shape[1:]
        x = self.device.send(self.prepare(img)[None])
        scale = x.shape[3] / width
        with inference():
            seg_scores, _, cls_scores, rois, _ = self.forward(x, [scale])
            inside = softmax(seg_scores, axis=1).array[:, 1]
            cls_prob = softmax(cls_scores).array
        # One transfer for all images.
        pixels = inside.reshape(len(rois), math.prod(inside.shape[1:]))
        rows = to_host(get_array_module(rois).concatenate((rois, cls_prob, pixels), axis=1))
        bbox = np.clip(rows[:, :4] / np.float32(scale), 0, np.array((height, width) * 2, np.float32))
        large = (bbox[:, 2:] - bbox[:, :2] >= self.min_drop_size).all(axis=1)
        masks, boxes, label, score = mask_voting(
            rows[large, 4 + self.n_class :].reshape(-1, *inside.shape[1:]),
            bbox[large],
            rows[large, 4 : 4 + self.n_class],
            (height, width),
            self.score_thresh,
            self.nms_thresh,
            self.mask_merge_thresh,
            self.binary_thresh,
            self.limit,
        )
        pasted = [paste(mask, box, (height, width), self.binary_thresh) for mask, box in zip(masks, boxes, strict=True)]
        return np.array(pasted, bool).reshape(-1, height, width), label, score
