"""RoIAlign: regions of images, sampled between pixels in a regular grid (He et al. 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph import as_variable
from renga_core.graph.operators import cast
from renga_nn.functions.composed import whole
from renga_nn.functions.pooling.region_sums import weighted_sums
from renga_nn.functions.pooling.regions import (
    Host,
    Regions,
    Weights,
    pair_of_ratios,
    rows_of_pixels,
    select,
)

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["Samples", "largest_samples", "roi_average_align_2d", "roi_max_align_2d"]

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
    first = regions.first_pixels
    y, found = largest_samples(rows_of_pixels(as_variable(x)), first, regions.size, rows, columns)
    if found.all():
        return y  # type: ignore[no-any-return]  # a Variable
    return y * get_array_module(y.array).asarray(found[:, None], dtype=y.dtype)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Samples:
    """Sampling points along an axis: for each region, bin and sample, ``(R, out, samples)``.

    Attributes:
        low, high: The pixels before and after the point.
        share: The weight of the pixel after it.
        valid: Whether the sample counts: it is not too far outside, and belongs to the bin.
        count: Number of samples per bin of each region, valid or not, ``(R, 1, 1)``.
    """

    low: Host
    high: Host
    share: Host
    valid: Host
    count: Host

    @staticmethod
    def along(regions: Regions, axis: int, ratio: int | None, least: float = 1.0) -> Samples:
        """Compute the sampling points along an axis.

        Args:
            regions: The regions.
            axis: 0 for rows, 1 for columns.
            ratio: Number of samples per bin; None: the number of its pixels, rounded up.
            least: The smallest length of a region, in pixels.
        """
        out, size = regions.out[axis], regions.size[axis]
        start, end = regions.boxes[:, axis, None, None], regions.boxes[:, axis + 2, None, None]
        length = np.maximum(end - start, least) / out
        count = np.ceil(length) if ratio is None else np.full_like(length, ratio)
        sample = np.arange(count.max(initial=1))
        place = start + length * (np.arange(out)[:, None] + (sample + 0.5) / count)
        valid = (place >= -1) & (place <= size) & (sample < count)
        place = np.clip(place, 0, size - 1)
        low = np.floor(place).astype(np.intp)
        return Samples(low, np.minimum(low + 1, size - 1), place - low, valid, count)

    def weights(self) -> Weights:
        """The weights of pixels in the mean of each bin's samples."""
        share = self.valid / self.count
        pixel = np.concatenate((self.low, self.high), axis=2)
        return Weights.of(pixel, np.concatenate(((1 - self.share) * share, self.share * share), axis=2))


def largest_samples(
    pixels: Any, first: Host, size: tuple[int, int], rows: Samples, columns: Samples
) -> tuple[Any, Host]:
    """The largest sample of each bin, with its gradient.

    Args:
        pixels: Matrix with one row per pixel of all images, and one column per channel. Half precision is computed in
            float32.
        first: For each bin, the row of its image's first pixel: ``(R, out, out')``, or sizes of 1.
        size: Height and width of the images.
        rows, columns: The sampling points of the bins.

    Returns:
        Variable ``(R, channels, out, out')``, and a mask of bins with a valid sample, ``(R, out, out')``. The other
        bins contain some finite value.
    """
    found = np.asarray((rows.valid[:, :, None, :, None] & columns.valid[:, None, :, None, :]).any(axis=(3, 4)))
    dtype = pixels.dtype
    if dtype == "float16":
        pixels = cast(pixels, "float32")
    xp = get_array_module(pixels.array)
    corners = _corners(first, size[1], rows, columns)
    number = _first_largest(pixels.array, corners, (rows.valid, columns.valid))
    # Convert the index of the sample to its position in the tables of all samples.
    n_samples = rows.valid.shape[2] * columns.valid.shape[2]
    place = xp.arange(found.size).reshape(*found.shape, 1) * n_samples + number
    y: Any = 0.0
    for pixel, weight in corners:
        weights = xp.asarray(weight.reshape(-1), dtype=pixels.dtype)[place.reshape(-1)].reshape(*place.shape)
        chosen = xp.asarray(pixel.reshape(-1))[place.reshape(-1)].reshape(*place.shape)
        y = y + select(pixels, chosen) * weights.transpose(0, 3, 1, 2)
    return (y if y.dtype == dtype else cast(y, dtype)), found


def _corners(first: Host, width: int, rows: Samples, columns: Samples) -> list[tuple[Host, Host]]:
    """The four pixels around each sample, as rows of `pixels`, and their weights: ``(R, out, out, S, S)``."""
    made = []
    for row, row_weight in ((rows.low, 1 - rows.share), (rows.high, rows.share)):
        for column, column_weight in ((columns.low, 1 - columns.share), (columns.high, columns.share)):
            pixel = first[..., None, None] + row[:, :, None, :, None] * width + column[:, None, :, None, :]
            made.append((pixel, row_weight[:, :, None, :, None] * column_weight[:, None, :, None, :]))
    return made


def _first_largest(pixels: Array, corners: list[tuple[Host, Host]], valid: tuple[Host, Host]) -> Array:
    """The index of the largest valid sample of each bin, ``(R, out, out, C)``; NaN is larger than all numbers."""
    xp = get_array_module(pixels)
    best = number = None
    for i in range(valid[0].shape[2]):
        for j in range(valid[1].shape[2]):
            counts = valid[0][:, :, None, i] & valid[1][:, None, :, j]
            seen: Any = 0.0
            for pixel, weight in corners:
                rows = xp.asarray(pixel[..., i, j])
                part = pixels[rows.reshape(-1)].reshape(*rows.shape, pixels.shape[1])
                seen = seen + part * xp.asarray(weight[..., i, j, None], dtype=pixels.dtype)
            seen = xp.where(xp.asarray(counts[..., None]), seen, -xp.inf)
            if best is None:
                best, number = seen, xp.zeros(seen.shape, dtype="int64")
            else:
                better = (seen > best) | (xp.isnan(seen) & ~xp.isnan(best))
                best, number = xp.where(better, seen, best), xp.where(better, i * valid[1].shape[2] + j, number)
    return number
