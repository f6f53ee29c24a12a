"""Regions of images, each cut into a grid of bins of whole pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph import InvalidType, as_array, as_variable
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import as_integer, require_array
from renga_nn.functions.pooling.regions import Host, Regions, Weights, bins, rows_of_pixels, select, weighted_sums

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["largest_elements", "means", "roi_average_pooling_2d", "roi_max_pooling_2d", "roi_pooling_2d"]


def roi_pooling_2d(x: Any, rois: Any, outh: int, outw: int, spatial_scale: float) -> Variable:
    """The largest elements of regions, as of `roi_max_pooling_2d`, with regions as Fast R-CNN has them.

    Args:
        x: Images ``(N, C, H, W)``.
        rois: ``(R, 5)``: number of the image, and then x and y of the first pixel, x and y of the last.
        outh, outw: Size of what each region becomes.
        spatial_scale: What coordinates are multiplied with, and then rounded.

    Returns:
        Variable ``(R, C, outh, outw)``.

    Raises:
        InvalidType, ValueError: As of `roi_max_pooling_2d`.

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


def roi_max_pooling_2d(
    x: Any, rois: Any, roi_indices: Any, outsize: int | Sequence[int], spatial_scale: float
) -> Variable:
    """The largest element in each bin of a grid over each region (Girshick 2015, 2.1).

    A region is cut into bins of about the same size, which overlap by a pixel where it cannot be cut evenly. The
    gradient goes to the first of the largest elements. What lies outside of the image does not count; a bin without
    pixels is zero.

    Args:
        x: Images ``(N, C, H, W)``.
        rois: Regions ``(R, 4)``: y and x of the start, y and x of the end, which does not belong to it. No gradient.
        roi_indices: Which image each region is of, integers ``(R,)``.
        outsize: Height and width of what each region becomes; one number or a pair.
        spatial_scale: What coordinates are multiplied with, and then rounded (halves away from zero).

    Returns:
        Variable ``(R, C, *outsize)``.

    Raises:
        InvalidType: `x`, `rois` or `roi_indices` has another shape or dtype, or there are no images.
        ValueError: There is no such image, or `outsize` or `spatial_scale` makes no sense.

    >>> import numpy as np
    >>> x = np.arange(16.0).reshape(1, 1, 4, 4)
    >>> roi_max_pooling_2d(x, np.array([[0.0, 0.0, 2.0, 4.0]]), np.array([0]), (1, 2), 1.0).array.tolist()
    [[[[5.0, 7.0]]]]
    """
    regions = Regions.of("roi_max_pooling_2d", x, rois, roi_indices, outsize, spatial_scale)
    box = _rounded(regions.boxes)
    return _largest(x, regions, box[:, :2], box[:, 2:])


def roi_average_pooling_2d(
    x: Any, rois: Any, roi_indices: Any, outsize: int | Sequence[int], spatial_scale: float
) -> Variable:
    """The mean of each bin of a grid over each region.

    Bins, arguments and errors are those of `roi_max_pooling_2d`.

    Args:
        x: Images ``(N, C, H, W)``.
        rois: Regions ``(R, 4)``: y and x of the start, y and x of the end.
        roi_indices: Which image each region is of.
        outsize: Height and width of what each region becomes.
        spatial_scale: What coordinates are multiplied with.

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
    """The nearest integers; halves away from zero, as the original programs do it."""
    return (np.sign(boxes) * np.floor(np.abs(boxes) + 0.5)).astype(np.intp)


def means(start: Host, end: Host) -> Weights:
    """What pixels count in the mean of each bin, from its start and end ``(R, out)``."""
    length = np.maximum(end - start, 0)[..., None]
    place = np.arange(length.max(initial=0))
    return Weights.of(start[..., None] + place, (place < length) / np.maximum(length, 1))


def _largest(x: Any, regions: Regions, low: Host, high: Host) -> Variable:
    """The largest element of each bin; 0 where there is none."""
    rows, columns = [bins(low[:, axis], high[:, axis], regions.out[axis], regions.size[axis]) for axis in (0, 1)]
    first = regions.first_pixels
    y, found = largest_elements(rows_of_pixels(as_variable(x)), first, regions.size, rows, columns)
    if found.all():
        return y  # type: ignore[no-any-return]  # a Variable
    return y * get_array_module(y.array).asarray(found[:, None], dtype=x.dtype)  # type: ignore[no-any-return]


def largest_elements(
    pixels: Any, first: Host, size: tuple[int, int], rows: tuple[Host, Host], columns: tuple[Host, Host]
) -> tuple[Any, Host]:
    """The largest element of each bin: found among the arrays, and then selected, so that gradients follow.

    Args:
        pixels: Matrix with a row for each pixel of each image, and a column for each channel.
        first: Which row is the first pixel of the image that a bin looks at: ``(R, out, out')``, or sizes of 1.
        size: Height and width of the images.
        rows, columns: Start and end of the bins, integers ``(R, out)`` and ``(R, out')``.

    Returns:
        Variable ``(R, channels, out, out')``, and which bins have pixels, ``(R, out, out')``. The others have some
        value of the image.
    """
    found = np.asarray((rows[1] > rows[0])[:, :, None] & (columns[1] > columns[0])[:, None, :])
    return select(pixels, _first_largest(pixels.array, first, size, rows, columns)), found


def _first_largest(
    pixels: Array, first: Host, size: tuple[int, int], rows: tuple[Host, Host], columns: tuple[Host, Host]
) -> Array:
    """Which row of `pixels` has the largest element of each bin, ``(R, out, out, C)``; NaN is larger than all.

    One step for each element that the largest bin has; smaller ones look at their last element again.
    """
    xp = get_array_module(pixels)
    height, width = size
    best = place = None
    for i in range(max(1, (rows[1] - rows[0]).max(initial=1))):
        row = np.clip(np.minimum(rows[0] + i, rows[1] - 1), 0, height - 1)[:, :, None]
        for j in range(max(1, (columns[1] - columns[0]).max(initial=1))):
            column = np.clip(np.minimum(columns[0] + j, columns[1] - 1), 0, width - 1)[:, None, :]
            here = xp.asarray(first + row * width + column)
            seen = pixels[here.reshape(-1)].reshape(*here.shape, pixels.shape[1])
            here = here[..., None]
            if best is None:
                best, place = seen, xp.broadcast_to(here, seen.shape)
            else:
                better = (seen > best) | (xp.isnan(seen) & ~xp.isnan(best))
                best, place = xp.where(better, seen, best), xp.where(better, here, place)
    return place
