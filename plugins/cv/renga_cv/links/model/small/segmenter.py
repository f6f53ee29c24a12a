"""A small network that gives each pixel a class."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.graph import Variable, no_backprop_mode
from renga_core.link import Chain
from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.small.pyramid import SmallPyramid, enlarged_to
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["SmallSegmenter"]

Array = np.ndarray[Any, Any]

_STEP = 8


class SmallSegmenter(Chain):
    """A `SmallPyramid`, whose finest map says what is where; the picture itself, where exactly its edges are.

    Args:
        n_out: Number of classes, the background included.
        width: See `SmallPyramid`.
    """

    def __init__(self, n_out: int, width: int = 32) -> None:
        super().__init__()
        with self.init_scope():
            self.pyramid = SmallPyramid(width=width)
            self.edges = Conv2DBNActiv(3, width // 2, 3, 1, 1)
            self.narrow = Convolution2D(width, width // 2, 1)
            self.mix = Conv2DBNActiv(width // 2, width // 2, 3, 1, 1)
            self.score = Convolution2D(width // 2, n_out, 1)

    def forward(self, x: Any) -> Variable:
        """Return scores ``(N, n_out, H, W)`` of pictures ``(N, 3, H, W)``, RGB from 0 to 255, H and W multiples of 8."""
        edges = self.edges(x * (1 / 64) - 2)
        found = self.narrow(self.pyramid(x)[0])
        scores: Variable = self.score(self.mix(edges + enlarged_to(edges, found)))
        return scores

    def predict(self, imgs: list[Array]) -> list[Array]:
        """Return the class of each pixel, int32 (H, W), for images (3, H, W) of any size."""
        labels: list[Array] = []
        for (_, height, width), group in groupby(imgs, key=lambda img: img.shape):
            x = np.pad(np.stack(list(group)), ((0, 0), (0, 0), (0, -height % _STEP), (0, -width % _STEP)), mode="edge")
            with using_config("train", False), no_backprop_mode():
                scores = to_host(self(self.device.send(x)).array)
            labels += list(scores[:, :, :height, :width].argmax(1).astype(np.int32))
        return labels
