"""A small network for semantic segmentation."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.model.inference import inference
from renga_cv.links.model.small.pyramid import FinestMap, SmallPyramid
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["SmallSegmenter"]

Array = np.ndarray[Any, Any]

_STEP = 8


class SmallSegmenter(Chain):
    """Scores of the classes in the finest map of a `SmallPyramid`.

    Args:
        n_out: Number of classes, including the background.
        width: See `SmallPyramid`.
    """

    def __init__(self, n_out: int, width: int = 32) -> None:
        super().__init__()
        with self.init_scope():
            self.pyramid = SmallPyramid(width=width)
            self.finest = FinestMap(width)
            self.score = Convolution2D(width // 2, n_out, 1)

    def forward(self, x: Any) -> Variable:
        """Return scores ``(N, n_out, H, W)`` of pictures ``(N, 3, H, W)`` from 0 to 255; 8 divides H and W."""
        scores: Variable = self.score(self.finest(x, self.pyramid(x)[0]))
        return scores

    def predict(self, imgs: list[Array]) -> list[Array]:
        """Return the class of each pixel, int32 (H, W), for images (3, H, W) of any size."""
        labels: list[Array] = []
        for (_, height, width), group in groupby(imgs, key=lambda img: img.shape):
            x = np.pad(np.stack(list(group)), ((0, 0), (0, 0), (0, -height % _STEP), (0, -width % _STEP)), mode="edge")
            with inference():
                scores = to_host(self(self.device.send(x)).array)
            labels += list(scores[:, :, :height, :width].argmax(1).astype(np.int32))
        return labels
