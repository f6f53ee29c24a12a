"""The base class of two-stage networks: Faster R-CNN, FCIS and their subclasses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.link import Chain, Link
from renga_cv.links.model.faster_rcnn.scaling import scale_img

__all__ = ["RegionNetwork"]

Host = np.ndarray[Any, Any]


class RegionNetwork(Chain):
    """An extractor, a network that proposes regions, and a head that classifies each of them.

    A subclass defines `forward`, `use_preset`, `predict`.

    Args:
        extractor: Link that computes features of images ``(N, 3, H, W)``.
        rpn: Link that proposes regions; see `RegionProposalNetwork`.
        head: Link of features and regions, with an attribute `n_class`.
        mean: The mean colour, subtracted from images, ``(3, 1, 1)``.
        min_size, max_size: Target length of the shorter side, and limit of the longer side.
        loc_normalize_mean, loc_normalize_std: Mean and standard deviation of the box offsets that the head learns.
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
        super().__init__()
        with self.init_scope():
            self.extractor = extractor
            self.rpn = rpn
            self.head = head
        self.mean = mean
        self.min_size = min_size
        self.max_size = max_size
        self.loc_normalize_mean = loc_normalize_mean
        self.loc_normalize_std = loc_normalize_std
        self.use_preset("visualize")

    @property
    def n_class(self) -> int:
        """Number of classes, with the background."""
        n: int = self.head.n_class
        return n

    def use_preset(self, preset: str) -> None:
        """Set the thresholds of `predict`."""
        raise NotImplementedError(f"{type(self).__name__} does not define use_preset(preset)")

    def prepare(self, img: Host) -> Host:
        """Prepare an image for the network.

        Its shorter side becomes `min_size`, or its longer side `max_size` if it would be longer; then the mean is
        subtracted.

        Args:
            img: Image, float32 ``(3, H, W)``, from 0 to 255.

        Returns:
            float32 ``(3, H', W')``.
        """
        scaled, _ = scale_img(img, self.min_size, self.max_size)
        prepared: Host = (scaled - self.mean).astype(np.float32, copy=False)
        return prepared
