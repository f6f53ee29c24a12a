"""A small network that finds objects."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.model.small.pyramid import SmallPyramid
from renga_cv.links.model.ssd.multibox import Multibox
from renga_cv.links.model.ssd.ssd import SSD

__all__ = ["SmallDetector"]

_STEPS = (4, 8)


class SmallDetector(SSD):
    """`SSD` on a `SmallPyramid`: default boxes at a quarter and an eighth of the resolution.

    Args:
        n_out: Number of classes, without the background.
        insize: Edge of the square that pictures are resized to, in pixels; a multiple of 8.
        sizes: Edges of small, medium and large objects, as fractions of the picture's edge.
        width: See `SmallPyramid`.

    Attributes:
        with_half: Whether the pyramid has a map at half the resolution, which only subclasses use.

    Raises:
        ValueError: `insize` is not a multiple of 8.

    Source: Liu et al., *SSD: Single Shot MultiBox Detector*, arXiv:1512.02325, section 2, with two levels.
    """

    with_half = False

    def __init__(
        self, n_out: int, insize: int = 64, sizes: tuple[float, float, float] = (0.2, 0.3, 0.44), width: int = 32
    ) -> None:
        if insize % _STEPS[-1]:
            raise ValueError(f"insize is a multiple of {_STEPS[-1]}, not {insize}")
        ratios = [(2,) for _ in _STEPS]
        super().__init__(
            _Levels(insize, width, self.with_half),
            Multibox(n_out + 1, ratios, in_channels=[width for _ in _STEPS]),
            steps=_STEPS,
            sizes=[size * insize for size in sizes],
        )


class _Levels(Chain):
    """The two coarser maps of a pyramid, as an extractor for `SSD`."""

    def __init__(self, insize: int, width: int, with_half: bool) -> None:
        super().__init__()
        self.insize = insize
        self.grids = tuple(insize // step for step in _STEPS)
        with self.init_scope():
            self.pyramid = SmallPyramid(width=width, with_half=with_half)

    def forward(self, x: Any) -> tuple[Variable, ...]:
        maps: tuple[Variable, ...] = self.pyramid(x)
        return maps[-2:]
