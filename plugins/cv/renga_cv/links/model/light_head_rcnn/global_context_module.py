"""Large filters as pairs of thin ones (Peng et al. 2017)."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.activation import relu
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["GlobalContextModule"]


class GlobalContextModule(Chain):
    """Filters of ``ksize × ksize`` as sums of two pairs of thin ones (Li et al. 2017, figure 3).

    Args:
        in_channels, mid_channels, out_channels: Channels of the maps, between the filters of a pair, and of the result.
        ksize: Length of the filters, an odd number.
        initialW: Initializer of filters. Default: LeCunNormal.

    Attributes:
        col_max, col: ``ksize × 1``, then ``1 × ksize``.
        row_max, row: ``1 × ksize``, then ``ksize × 1``.
    """

    def __init__(
        self, in_channels: int, mid_channels: int, out_channels: int, ksize: int, initialW: Any = None
    ) -> None:
        super().__init__()
        pad = (ksize - 1) // 2
        column: dict[str, Any] = {"ksize": (ksize, 1), "pad": (pad, 0), "initialW": initialW}
        row: dict[str, Any] = {"ksize": (1, ksize), "pad": (0, pad), "initialW": initialW}
        with self.init_scope():
            self.col_max = Convolution2D(in_channels, mid_channels, **column)
            self.col = Convolution2D(mid_channels, out_channels, **row)
            self.row_max = Convolution2D(in_channels, mid_channels, **row)
            self.row = Convolution2D(mid_channels, out_channels, **column)

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, H, W)`` for maps ``(N, in_channels, H, W)``."""
        return relu(self.col(self.col_max(x)) + self.row(self.row_max(x)))
