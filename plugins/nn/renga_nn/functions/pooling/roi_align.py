"""RoIAlign: regions of images, sampled between pixels in a regular grid (He et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.graph import as_variable
from renga_nn.functions.composed import whole
from renga_nn.functions.pooling.region_maxima import largest_samples, zero_unless
from renga_nn.functions.pooling.region_sums import weighted_sums
from renga_nn.functions.pooling.regions import Regions, pair_of_ratios, rows_of_pixels
from renga_nn.functions.pooling.samples import Samples

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["roi_average_align_2d", "roi_max_align_2d"]

Ratio = int | None | Sequence[int | None]


@whole("x", "rois", "roi_indices")
def roi_average_align_2d(
    x: Any,
    rois: Any,
    roi_indices: Any,
    outsize: int | Sequence[int],
    spatial_scale: float,
    sampling_ratio: Ratio = None,
) -> Variable:
    """The mean of samples in each bin of a grid over each region (He et al. 2017, 3, "RoIAlign").

    Nothing is rounded: a region (of at least one pixel) is divided into bins of equal size, which are sampled at
    regular points by bilinear interpolation. Up to one pixel outside the border, an image has the value of the border;
    further out, samples are zero.

    Args:
        x: Images ``(N, C, H, W)``.
        rois: Regions ``(R, 4)``: y_min, x_min, y_max, x_max. They receive no gradient.
        roi_indices: The image of each region, integers ``(R,)``.
        outsize: Height and width of each region's output; one number or a pair.
        spatial_scale: Factor of the coordinates.
        sampling_ratio: Number of samples along each axis of a bin: a number or a pair. None: the number of pixels of a
            bin, rounded up.

    Returns:
        Variable ``(R, C, *outsize)``.

    Raises:
        InvalidType: `x`, `rois` or `roi_indices` has another shape or dtype, or there are no images.
        ValueError: An image index is out of range, or `outsize`, `spatial_scale` or `sampling_ratio` is invalid.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_average_align_2d(x, np.array([[0.5, 0.5, 1.5, 2.5]]), np.array([0]), (1, 2), 1.0).array.tolist()
    [[[[5.0, 6.0]]]]
    """
    regions = Regions.of("roi_average_align_2d", x, rois, roi_indices, outsize, spatial_scale)
    ratios = pair_of_ratios("roi_average_align_2d", sampling_ratio)
    rows, columns = [Samples.along(regions, axis, ratios[axis]).weights() for axis in (0, 1)]
    y: Variable = weighted_sums(rows_of_pixels(as_variable(x)), regions.first_pixels, regions.size[1], rows, columns)
    return y


@whole("x", "rois", "roi_indices")
def roi_max_align_2d(
    x: Any,
    rois: Any,
    roi_indices: Any,
    outsize: int | Sequence[int],
    spatial_scale: float,
    sampling_ratio: Ratio = None,
) -> Variable:
    """The largest sample in each bin of a grid over each region.

    Samples, arguments and errors are as for `roi_average_align_2d`, except that samples more than a pixel outside are
    ignored, and a bin without other samples is zero. For ties the gradient goes to the first sample.

    Args:
        x: Images ``(N, C, H, W)``.
        rois: Regions ``(R, 4)``: y_min, x_min, y_max, x_max.
        roi_indices: The image of each region.
        outsize: Height and width of each region's output.
        spatial_scale: Factor of the coordinates.
        sampling_ratio: Number of samples along each axis of a bin.

    Returns:
        Variable ``(R, C, *outsize)``.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_max_align_2d(x, np.array([[0.0, 0.0, 2.0, 3.0]]), np.array([0]), 1, 1.0, 2).array.tolist()
    [[[[8.25]]]]
    """
    regions = Regions.of("roi_max_align_2d", x, rois, roi_indices, outsize, spatial_scale)
    ratios = pair_of_ratios("roi_max_align_2d", sampling_ratio)
    rows, columns = [Samples.along(regions, axis, ratios[axis]) for axis in (0, 1)]
    y, found = largest_samples(rows_of_pixels(as_variable(x)), regions.first_pixels, regions.size, rows, columns)
    largest: Variable = zero_unless(found, y)
    return largest
