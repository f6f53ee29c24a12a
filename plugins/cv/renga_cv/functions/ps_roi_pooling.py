"""Position-sensitive pooling of regions, each cut into a grid of bins of whole pixels (Dai et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_cv.functions.position_sensitive import LEAST, PositionSensitiveRegions, or_infinite
from renga_nn.functions.pooling.region_maxima import largest_elements
from renga_nn.functions.pooling.regions import Host, Regions
from renga_nn.functions.pooling.roi_pooling import means

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["ps_roi_average_pooling_2d", "ps_roi_max_pooling_2d"]


def ps_roi_average_pooling_2d(
    x: Any,
    rois: Any,
    roi_indices: Any,
    outsize: int | Sequence[int],
    spatial_scale: float,
    group_size: int,
) -> Variable:
    """The mean of each bin of a grid over each region; each bin has its own map (Dai et al. 2016, eq. 1).

    A region is cut into bins of the same size. A bin has all pixels that it touches, inside the image. Coordinates are
    not rounded, and a region is at least 0.1 pixels high and wide.

    Args:
        x: Score maps ``(N, C * group_size * group_size, H, W)``. Channel ``(c * group_size + i) * group_size + j`` is
            used by the bins in row `i` and column `j` of a grid of `group_size` cells along each axis.
        rois: Regions ``(R, 4)``: y and x of the start, y and x of the end. No gradient.
        roi_indices: The image index of each region, integers ``(R,)``.
        outsize: Height and width of each region's result: one number or a pair. If there are three numbers, the first
            is ``C``, which is checked.
        spatial_scale: Scale factor of the coordinates.
        group_size: Number of cells along each axis.

    Returns:
        Variable ``(R, C, height, width)``. A bin without pixels is 0.

    Raises:
        InvalidType: `x`, `rois` or `roi_indices` has another shape or dtype, or there are no images.
        ValueError: An image index is out of range, or `outsize`, `spatial_scale` or `group_size` is invalid.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 4, 2, 2)
    >>> ps_roi_average_pooling_2d(x, np.array([[0.0, 0.0, 2.0, 2.0]]), np.array([0]), 2, 1.0, 2).array.tolist()
    [[[[0.0, 5.0], [10.0, 15.0]]]]
    """
    maps = PositionSensitiveRegions.of(
        "ps_roi_average_pooling_2d", x, rois, roi_indices, outsize, spatial_scale, group_size
    )
    y: Variable = maps.average(x, *[means(*_bins(maps.regions, axis)) for axis in (0, 1)])
    return y


def ps_roi_max_pooling_2d(
    x: Any,
    rois: Any,
    roi_indices: Any,
    outsize: int | Sequence[int],
    spatial_scale: float,
    group_size: int,
) -> Variable:
    """The largest element in each bin of a grid over each region; each bin has its own map.

    Bins, arguments and errors are those of `ps_roi_average_pooling_2d`. The gradient goes to the first of the largest
    elements.

    Args:
        x: Score maps ``(N, C * group_size * group_size, H, W)``.
        rois: Regions ``(R, 4)``: y and x of the start, y and x of the end.
        roi_indices: The image index of each region.
        outsize: Height and width of each region's result, or ``C``, height and width.
        spatial_scale: Scale factor of the coordinates.
        group_size: Number of cells along each axis.

    Returns:
        Variable ``(R, C, height, width)``. A bin without pixels is ``-inf``.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 4, 2, 2)
    >>> ps_roi_max_pooling_2d(x, np.array([[0.0, 0.0, 2.0, 4.0]]), np.array([0]), 2, 1.0, 2).array.tolist()
    [[[[1.0, -inf], [11.0, -inf]]]]
    """
    maps = PositionSensitiveRegions.of(
        "ps_roi_max_pooling_2d", x, rois, roi_indices, outsize, spatial_scale, group_size
    )
    pixels, first = maps.pixels(x)
    y: Variable = or_infinite(
        *largest_elements(pixels, first, maps.regions.size, _bins(maps.regions, 0), _bins(maps.regions, 1))
    )
    return y


def _bins(regions: Regions, axis: int) -> tuple[Host, Host]:
    """Start and end of each bin along an axis, integers ``(R, out)``: all pixels that a bin touches."""
    low, high = regions.boxes[:, axis, None], regions.boxes[:, axis + 2, None]
    out, size = regions.out[axis], regions.size[axis]
    step = np.maximum(high - low, LEAST) / out
    number = np.arange(out)
    start, end = np.floor(low + number * step), np.ceil(low + (number + 1) * step)
    return np.clip(start, 0, size).astype(np.intp), np.clip(end, 0, size).astype(np.intp)
