"""Score maps that depend on the position in a region (Dai et al. 2016, 2): checks arguments, and assigns maps to bins.

Each channel of the result has its own grid of ``group_size × group_size`` maps. A bin of a region uses the map of
the cell of this grid in which the bin lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_core.graph import InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape, transpose
from renga_nn.functions.array.where import where
from renga_nn.functions.checks import as_integer
from renga_nn.functions.pooling.region_sums import weighted_sums
from renga_nn.functions.pooling.regions import Host, Regions, Weights

__all__ = ["LEAST", "PositionSensitiveRegions", "or_infinite"]

LEAST = 0.1
"""The smallest height and width of a region, in pixels of the maps."""


@dataclass(frozen=True, slots=True)
class PositionSensitiveRegions:
    """Regions of score maps.

    Attributes:
        regions: The regions, as for other pooling.
        channels: Number of channels of the result.
        group: Number of maps of a channel along each axis.
    """

    regions: Regions
    channels: int
    group: int

    @staticmethod
    def of(
        function: str,
        x: Any,
        rois: Any,
        roi_indices: Any,
        outsize: int | Sequence[int],
        spatial_scale: float,
        group_size: int,
    ) -> PositionSensitiveRegions:
        """The regions from the arguments of a function, checked.

        Raises:
            InvalidType: `x`, `rois` or `roi_indices` has another shape or dtype than the function takes.
            ValueError: An image index is out of range, or `outsize`, `spatial_scale` or `group_size` is invalid.
        """
        group = as_integer(function, "group_size", group_size, least=1)
        out = tuple(outsize) if isinstance(outsize, Sequence) else (outsize, outsize)
        channels = as_integer(function, "outsize[0]", out[0], least=1) if len(out) == 3 else None
        regions = Regions.of(function, x, rois, roi_indices, out[-2:] if len(out) == 3 else out, spatial_scale)
        given, rest = divmod(x.shape[1], group**2)
        if rest or (channels is not None and channels != given):
            wanted = f"a multiple of {group**2}" if channels is None else f"{channels} · {group**2}"
            expected = f"{wanted} channels, as group_size is {group}"
            if channels is not None:
                expected += f" and outsize has {channels} channels"
            raise InvalidType(function, "x", expected, describe_array(x))
        return PositionSensitiveRegions(regions, given, group)

    def cells(self, axis: int) -> Host:
        """The cell of the grid of maps in which each bin lies, along an axis: ``(out,)``."""
        out = self.regions.out[axis]
        return np.arange(out) * self.group // out

    def average(self, x: Any, rows: Weights, columns: Weights) -> Any:
        """Weighted sums of the maps.

        Args:
            x: Maps ``(N, channels * group * group, H, W)``.
            rows, columns: Weights of the pixels in each bin along each axis.

        Returns:
            Variable ``(R, channels, out, out')``.
        """
        pixels, first = self.pixels(x)
        return weighted_sums(pixels, first, self.regions.size[1], rows, columns)

    def pixels(self, x: Any) -> tuple[Any, Host]:
        """The maps as a matrix, in which the map of a bin is a range of rows.

        Returns:
            Variable ``(N * group * group * H * W, channels)``, and the row of the first pixel of each bin's map,
            ``(R, out, out')``.
        """
        n, _, height, width = x.shape
        cells = self.group**2
        maps = reshape(as_variable(x), (n, self.channels, cells, height, width))
        pixels = reshape(transpose(maps, (0, 2, 3, 4, 1)), (n * cells * height * width, self.channels))
        cell = self.cells(0)[:, None] * self.group + self.cells(1)
        return pixels, (self.regions.images[:, None, None] * cells + cell) * (height * width)


def or_infinite(y: Any, found: Host) -> Any:
    """The largest element of each bin, ``-inf`` where there is none.

    Args:
        y: Variable ``(R, channels, out, out')``.
        found: Which bins have elements, booleans ``(R, out, out')``.
    """
    if found.all():
        return y
    xp = get_array_module(y.array)
    return where(xp.broadcast_to(xp.asarray(found[:, None]), y.shape), y, -np.inf)
