"""The head of SSD: a location and class scores for each default box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain, ChainList
from renga_cv.links.model.detections import by_box
from renga_nn.functions.array import concat
from renga_nn.initializers import LeCunUniform
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["Multibox"]


class Multibox(Chain):
    """Two 3 × 3 convolutions for each feature map: one for locations, one for class scores (Liu et al. 2016, 2.1).

    A level with `n` aspect ratios has ``2 n + 2`` boxes in each cell; see `MultiboxCoder`.

    Args:
        n_class: Number of classes, with the background.
        aspect_ratios: For each level, the aspect ratios other than 1.
        initialW: Initializer of filters. Default: LeCunUniform.
        initial_bias: Initializer of biases. Default: zero.
        in_channels: For each level, the channels of its feature map; None to take them from the first input.

    Attributes:
        n_class, aspect_ratios: As given.
        loc, conf: For each level, the convolution for locations and that for scores.
    """

    loc: ChainList
    conf: ChainList

    def __init__(
        self,
        n_class: int,
        aspect_ratios: Sequence[Sequence[float]],
        initialW: Any = None,
        initial_bias: Any = None,
        *,
        in_channels: Sequence[int | None] | None = None,
    ) -> None:
        super().__init__()
        self.n_class = n_class
        self.aspect_ratios = aspect_ratios
        filters = {"initialW": LeCunUniform() if initialW is None else initialW, "initial_bias": initial_bias}
        with self.init_scope():
            self.loc, self.conf = ChainList(), ChainList()
        for channels, ratios in zip(in_channels or [None] * len(aspect_ratios), aspect_ratios, strict=True):
            n_box = 2 * len(ratios) + 2
            self.loc.append(Convolution2D(channels, 4 * n_box, 3, pad=1, **filters))
            self.conf.append(Convolution2D(channels, n_class * n_box, 3, pad=1, **filters))

    def forward(self, xs: Sequence[Any]) -> tuple[Variable, Variable]:
        """Locations and scores.

        Args:
            xs: Feature maps ``(N, C, H, W)``, one for each level.

        Returns:
            Locations ``(N, K, 4)`` and scores ``(N, K, n_class)`` for K default boxes, in the order of `MultiboxCoder`.
        """
        locs = [by_box(loc(x), 4) for loc, x in zip(self.loc, xs, strict=True)]
        confs = [by_box(conf(x), self.n_class) for conf, x in zip(self.conf, xs, strict=True)]
        return concat(locs, axis=1), concat(confs, axis=1)
