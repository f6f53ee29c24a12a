"""Position-sensitive pooling of regions, sampled between pixels (Dai et al. 2016; He et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_cv.functions.position_sensitive import LEAST, PositionSensitiveRegions, or_infinite
from renga_nn.functions.pooling.region_maxima import largest_samples
from renga_nn.functions.pooling.regions import pair_of_ratios
from renga_nn.functions.pooling.samples import Samples

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["ps_roi_average_align_2d", "ps_roi_max_align_2d"]

Ratio = int | None | Sequence[int | None]


def ps_roi_average_align_2d(
    x: Any,
    rois: Any,
    roi_indices: Any,
    outsize: int | Sequence[int],
    spatial_scale: float,
    group_size: int,
    sampling_ratio: Ratio = None,
) -> Variable:
    """The mean of samples in each bin of a grid over each region; each bin has its own map.

    Nothing is rounded: a region (at least 0.1 pixels high and wide) is cut into bins of the same size, which are
    sampled at regular places by bilinear interpolation. Up to a pixel beyond the border a map has the value of the
    border; further out samples are zero.

    Args:
        x: Score maps ``(N, C * group_size * group_size, H, W)``. Channel ``(c * group_size + i) * group_size + j`` is
            used by the bins in row `i` and column `j` of a grid of `group_size` cells along each axis.
        rois: Regions ``(R, 4)``: y and x of the start, y and x of the end. No gradient.
        roi_indices: The image index of each region, integers ``(R,)``.
        outsize: Height and width of each region's result: one number or a pair. If there are three numbers, the first
            is ``C``, which is checked.
        spatial_scale: Scale factor of the coordinates.
        group_size: Number of cells along each axis.
        sampling_ratio: Number of samples along each axis of a bin: a number or a pair. None is as many as a bin has
            pixels, rounded up.

    Returns:
        Variable ``(R, C, height, width)``.

    Raises:
        InvalidType: `x`, `rois` or `roi_indices` has another shape or dtype, or there are no images.
        ValueError: An image index is out of range, or `outsize`, `spatial_scale`, `group_size` or `sampling_ratio` is
            invalid.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 4, 2, 2)
    >>> ps_roi_average_align_2d(x, np.array([[0.0, 0.0, 1.0, 1.0]]), np.array([0]), 2, 1.0, 2, 1).array.tolist()
    [[[[0.75, 5.25], [9.75, 14.25]]]]
    """
    function = "ps_roi_average_align_2d"
    maps = PositionSensitiveRegions.of(function, x, rois, roi_indices, outsize, spatial_scale, group_size)
    rows, columns = _samples(function, maps, sampling_ratio)
    y: Variable = maps.average(x, rows.weights(), columns.weights())
    return y


def ps_roi_max_align_2d(
    x: Any,
    rois: Any,
    roi_indices: Any,
    outsize: int | Sequence[int],
    spatial_scale: float,
    group_size: int,
    sampling_ratio: Ratio = None,
) -> Variable:
    """The largest sample in each bin of a grid over each region; each bin has its own map (Li et al. 2017).

    Samples, arguments and errors are those of `ps_roi_average_align_2d`; but samples more than a pixel outside of the
    map are ignored. The gradient goes to the first of the largest samples.

    Args:
        x: Score maps ``(N, C * group_size * group_size, H, W)``.
        rois: Regions ``(R, 4)``: y and x of the start, y and x of the end.
        roi_indices: The image index of each region.
        outsize: Height and width of each region's result, or ``C``, height and width.
        spatial_scale: Scale factor of the coordinates.
        group_size: Number of cells along each axis.
        sampling_ratio: Number of samples along each axis of a bin.

    Returns:
        Variable ``(R, C, height, width)``. A bin without such samples is ``-inf``.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 4, 2, 2)
    >>> ps_roi_max_align_2d(x, np.array([[0.0, 0.0, 1.0, 1.0]]), np.array([0]), 2, 1.0, 2, 2).array.tolist()
    [[[[1.125, 5.625], [10.125, 14.625]]]]
    """
    function = "ps_roi_max_align_2d"
    maps = PositionSensitiveRegions.of(function, x, rois, roi_indices, outsize, spatial_scale, group_size)
    pixels, first = maps.pixels(x)
    rows, columns = _samples(function, maps, sampling_ratio)
    y: Variable = or_infinite(*largest_samples(pixels, first, maps.regions.size, rows, columns))
    return y


def _samples(function: str, maps: PositionSensitiveRegions, sampling_ratio: Ratio) -> tuple[Samples, Samples]:
    """The positions of samples of the bins along each axis."""
    rows, columns = pair_of_ratios(function, sampling_ratio)
    return Samples.along(maps.regions, 0, rows, LEAST), Samples.along(maps.regions, 1, columns, LEAST)
