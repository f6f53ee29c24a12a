"""RoI pooling: regions of images, divided into bins of whole pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.graph import InvalidType, as_array, as_variable
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import as_integer, require_array
from renga_nn.functions.composed import whole
from renga_nn.functions.pooling.region_maxima import largest_elements, zero_unless
from renga_nn.functions.pooling.region_sums import weighted_sums
from renga_nn.functions.pooling.regions import Host, Regions, Weights, bins, rows_of_pixels

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["means", "roi_average_pooling_2d", "roi_max_pooling_2d", "roi_pooling_2d"]


@whole("x", "rois")
def roi_pooling_2d(x: Any, rois: Any, outh: int, outw: int, spatial_scale: float) -> Variable:
    """`roi_max_pooling_2d` with regions in the format of Fast R-CNN.

    Args:
        x: Images ``(N, C, H, W)``.
        rois: ``(R, 5)``: index of the image, then x and y of the first pixel, x and y of the last pixel.
        outh, outw: Size of each region's output.
        spatial_scale: Factor of the coordinates, which are then rounded.

    Returns:
        Variable ``(R, C, outh, outw)``.

    Raises:
        InvalidType, ValueError: See `roi_max_pooling_2d`.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_pooling_2d(x, np.array([[0.0, 0.0, 0.0, 3.0, 1.0]]), 1, 2, 1.0).array.tolist()
    [[[[5.0, 7.0]]]]
    """
    require_array("roi_pooling_2d", "rois", rois)
    if rois.ndim != 2 or rois.shape[1] != 5:
        expected = "regions (R, 5): image, x_min, y_min, x_max, y_max"
        raise InvalidType("roi_pooling_2d", "rois", expected, describe_array(rois))
    rois = as_array(rois)
    size = as_integer("roi_pooling_2d", "outh", outh), as_integer("roi_pooling_2d", "outw", outw)
    regions = Regions.of("roi_pooling_2d", x, rois[:, 1:], rois[:, 0].astype("int64"), size, spatial_scale)
    box = _rounded(regions.boxes)
    return _largest(x, regions, box[:, [1, 0]], box[:, [3, 2]] + 1)


@whole("x", "rois", "roi_indices")
def roi_max_pooling_2d(
    x: Any, rois: Any, roi_indices: Any, outsize: int | Sequence[int], spatial_scale: float
) -> Variable:
    """The largest element in each bin of a grid over each region (Girshick 2015, 2.1).

    A region is divided into bins of about equal size, which may overlap by a pixel. For ties the gradient goes to the
    first element. Pixels outside the image are ignored; a bin without pixels is zero.

    Args:
        x: Images ``(N, C, H, W)``.
        rois: Regions ``(R, 4)``: y and x of the start, y and x of the end (exclusive). They receive no gradient.
        roi_indices: The image of each region, integers ``(R,)``.
        outsize: Height and width of each region's output; one number or a pair.
        spatial_scale: Factor of the coordinates, which are then rounded (halves away from zero).

    Returns:
        Variable ``(R, C, *outsize)``.

    Raises:
        InvalidType: `x`, `rois` or `roi_indices` has another shape or dtype, or there are no images.
        ValueError: An image index is out of range, or `outsize` or `spatial_scale` is invalid.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_max_pooling_2d(x, np.array([[0.0, 0.0, 2.0, 4.0]]), np.array([0]), (1, 2), 1.0).array.tolist()
    [[[[5.0, 7.0]]]]
    """
    regions = Regions.of("roi_max_pooling_2d", x, rois, roi_indices, outsize, spatial_scale)
    box = _rounded(regions.boxes)
    return _largest(x, regions, box[:, :2], box[:, 2:])


@whole("x", "rois", "roi_indices")
def roi_average_pooling_2d(
    x: Any, rois: Any, roi_indices: Any, outsize: int | Sequence[int], spatial_scale: float
) -> Variable:
    """The mean of each bin of a grid over each region.

    Bins, arguments and errors are as for `roi_max_pooling_2d`.

    Args:
        x: Images ``(N, C, H, W)``.
        rois: Regions ``(R, 4)``: y and x of the start, y and x of the end.
        roi_indices: The image of each region.
        outsize: Height and width of each region's output.
        spatial_scale: Factor of the coordinates.

    Returns:
        Variable ``(R, C, *outsize)``.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_average_pooling_2d(x, np.array([[0.0, 0.0, 2.0, 4.0]]), np.array([0]), (1, 2), 1.0).array.tolist()
    [[[[2.5, 4.5]]]]
    """
    regions = Regions.of("roi_average_pooling_2d", x, rois, roi_indices, outsize, spatial_scale)
    box = _rounded(regions.boxes)
    rows, columns = [
        means(*bins(box[:, axis], box[:, axis + 2], regions.out[axis], regions.size[axis])) for axis in (0, 1)
    ]
    y: Variable = weighted_sums(rows_of_pixels(as_variable(x)), regions.first_pixels, regions.size[1], rows, columns)
    return y


def _rounded(boxes: Host) -> Host:
    """Round to integers, halves away from zero as in the original implementation."""
    return (np.sign(boxes) * np.floor(np.abs(boxes) + 0.5)).astype(np.intp)


def means(start: Host, end: Host) -> Weights:
    """The weights of pixels in the mean of each bin, from its start and end ``(R, out)``."""
    length = np.maximum(end - start, 0)[..., None]
    place = np.arange(length.max(initial=0))
    return Weights.of(start[..., None] + place, (place < length) / np.maximum(length, 1))


def _largest(x: Any, regions: Regions, low: Host, high: Host) -> Variable:
    """The largest element of each bin; 0 if it has no pixels."""
    rows, columns = [bins(low[:, axis], high[:, axis], regions.out[axis], regions.size[axis]) for axis in (0, 1)]
    y, found = largest_elements(rows_of_pixels(as_variable(x)), regions.first_pixels, regions.size, rows, columns)
    largest: Variable = zero_unless(found, y)
    return largest
