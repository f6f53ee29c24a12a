"""Regions of images: checks of arguments, and how an axis is divided.

Regions are few compared with pixels, and their sizes must be known before anything is computed. So they are processed
on the host. The images are then processed on their device, for all regions at once.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, is_floating, to_host
from renga_core.graph import InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import cast, get_item, reshape, transpose
from renga_nn.functions.array.concat import concat
from renga_nn.functions.checks import as_number, require_array
from renga_nn.functions.math.sparse_matmul import SparseMatmul
from renga_nn.functions.window import per_axis

__all__ = ["Host", "Regions", "Weights", "bins", "pair_of_ratios", "rows_of_pixels", "select", "weighted_sums"]

Host = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Regions:
    """Regions of a batch of images, on the host.

    Attributes:
        boxes: Floats ``(R, 4)``, in pixels of the images: y and x of the start, y and x of the end.
        images: Integers ``(R,)``: the image of each region.
        out: Height and width of each region's output.
        size: Height and width of the images.
    """

    boxes: Host
    images: Host
    out: tuple[int, int]
    size: tuple[int, int]

    @property
    def first_pixels(self) -> Host:
        """For each region, the row of its image's first pixel in `rows_of_pixels`, ``(R, 1, 1)``."""
        first: Host = self.images[:, None, None] * (self.size[0] * self.size[1])
        return first

    @staticmethod
    def of(
        function: str, x: Any, rois: Any, roi_indices: Any, outsize: int | Sequence[int], spatial_scale: float
    ) -> Regions:
        """The regions that the arguments of a function describe, checked.

        Raises:
            InvalidType: `x`, `rois` or `roi_indices` has another shape or dtype than the function takes.
            ValueError: An image index is out of range, or `outsize` or `spatial_scale` is invalid.
        """
        for name, value in (("x", x), ("rois", rois), ("roi_indices", roi_indices)):
            require_array(function, name, value)
        # Without regions, there may be no images.
        if x.ndim != 4 or not is_floating(x.dtype) or 0 in x.shape[0 if len(rois) else 1 :]:
            raise InvalidType(function, "x", "images (N, C, H, W) of a floating dtype", describe_array(x))
        if rois.ndim != 2 or rois.shape[1] != 4 or rois.dtype.kind not in "fiu":
            expected = "boxes (R, 4): y_min, x_min, y_max, x_max"
            raise InvalidType(function, "rois", expected, describe_array(rois))
        if tuple(roi_indices.shape) != (rois.shape[0],) or roi_indices.dtype.kind not in "iu":
            expected = f"integers ({rois.shape[0]},), an image for each of rois"
            raise InvalidType(function, "roi_indices", expected, describe_array(roi_indices))
        spatial_scale = as_number(function, "spatial_scale", spatial_scale)
        if not spatial_scale > 0:
            raise ValueError(f"{function}: spatial_scale must be positive, not {spatial_scale:g}")
        height, width = per_axis(function, "outsize", outsize, 2)
        images = to_host(as_array(roi_indices)).astype(np.intp)
        if images.size and not 0 <= images.min() <= images.max() < x.shape[0]:
            raise ValueError(
                f"{function}: roi_indices from {images.min()} to {images.max()}, but x has images 0 to {x.shape[0] - 1}"
            )
        boxes = to_host(as_array(rois)).astype(np.float64) * spatial_scale
        return Regions(boxes, images, (height, width), tuple(x.shape[2:]))


def bins(low: Host, high: Host, out: int, size: int) -> tuple[Host, Host]:
    """Divide regions along an axis into `out` bins of about equal length, which may overlap by a pixel.

    Args:
        low, high: Start and end of each region, integers ``(R,)``. A region that ends at or before its start counts as
            one pixel long.
        out: Number of bins.
        size: Number of pixels of the axis; bins are cut off there.

    Returns:
        Start and end of each bin, integers ``(R, out)``.
    """
    length = np.maximum(high - low, 1)[:, None]
    number = np.arange(out)
    start = low[:, None] + number * length // out
    end = low[:, None] - (-(number + 1) * length // out)
    return np.clip(start, 0, size), np.clip(end, 0, size)


def rows_of_pixels(x: Any) -> Any:
    """Images as a matrix with one row per pixel and one column per channel."""
    n, channels, height, width = x.shape
    return reshape(transpose(x, (0, 2, 3, 1)), (n * height * width, channels))


def select(pixels: Any, rows: Array) -> Any:
    """The elements ``pixels[rows[r, i, j, c], c]``, as ``(R, C, out, out)``."""
    channels = pixels.shape[1]
    elements = rows * channels + get_array_module(rows).arange(channels)
    return transpose(reshape(get_item(reshape(pixels, (-1,)), elements.reshape(-1)), rows.shape), (0, 3, 1, 2))


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of pixels along an axis in each bin; pixels with weight 0 are left out.

    Attributes:
        number: Number of pixels of each bin, ``(R, out)``.
        pixel, weight: The pixels and their weights, bin by bin: ``(number.sum(),)``.
    """

    number: Host
    pixel: Host
    weight: Host

    @staticmethod
    def of(pixel: Host, weight: Host) -> Weights:
        """Make it from tables ``(R, out, n)``."""
        counts = weight != 0
        return Weights(counts.sum(axis=2), pixel[counts], weight[counts])


_AT_ONCE = 1 << 27
"""The largest number of products of pixels and weights at a time, which limits memory."""


def weighted_sums(pixels: Any, first: Host, width: int, rows: Weights, columns: Weights) -> Any:
    """For each region and bin, the weighted sum of pixels: a product with a sparse matrix.

    The cost grows with the number of pixels in regions, not with the size of images.

    Args:
        pixels: Matrix with one row per pixel of all images, and one column per channel. Half precision is computed in
            float32.
        first: For each bin, the row of its image's first pixel: ``(R, out, out')``, or sizes of 1.
        width: Number of pixels in a row of an image.
        rows, columns: The weight of a pixel is the product of the weights of its row and column.

    Returns:
        Variable ``(R, channels, out, out')``.
    """
    dtype, channels = pixels.dtype, pixels.shape[1]
    n, *out = len(rows.number), rows.number.shape[1], columns.number.shape[1]
    if not n:
        return reshape(get_item(pixels, slice(0)), (0, channels, *out))
    if dtype == "float16":
        pixels = cast(pixels, "float32")
    xp = get_array_module(pixels.array)
    products = channels * rows.number.sum(axis=1) * columns.number.sum(axis=1)
    starts = np.flatnonzero(np.diff(np.cumsum(products) // _AT_ONCE)) + 1
    first = np.broadcast_to(first, (n, *out))
    parts = []
    for part in np.split(np.arange(n), starts):
        bins_of_part, pixel, weight = _elements(part, first, width, rows, columns)
        matrix = SparseMatmul(xp.asarray(bins_of_part), xp.asarray(pixel), len(part) * out[0] * out[1])
        parts.append(matrix.apply((xp.asarray(weight, dtype=pixels.dtype), pixels))[0])
    y = parts[0] if len(parts) == 1 else concat(parts, axis=0)
    y = transpose(reshape(y, (n, *out, channels)), (0, 3, 1, 2))
    return y if y.dtype == dtype else cast(y, dtype)


def _elements(part: Host, first: Host, width: int, rows: Weights, columns: Weights) -> tuple[Host, Host, Host]:
    """The matrix from pixels of all images to bins of some regions: bin, pixel and weight of each element."""

    def of_bins(table: Host, axis: int) -> Host:
        return np.broadcast_to(np.expand_dims(table[part], axis), first[part].shape).reshape(-1)

    # The positions at which bins begin among the elements of `rows` and `columns`.
    first_row, first_column = (
        (np.cumsum(axis.number) - axis.number.reshape(-1)).reshape(axis.number.shape) for axis in (rows, columns)
    )
    n_columns = of_bins(columns.number, 1)
    number = of_bins(rows.number, 2) * n_columns
    place = np.repeat(np.arange(number.size), number)
    row, column = np.divmod(np.arange(len(place)) - (np.cumsum(number) - number)[place], n_columns[place])
    row += of_bins(first_row, 2)[place]
    column += of_bins(first_column, 1)[place]
    pixel = first[part].reshape(-1)[place] + rows.pixel[row] * width + columns.pixel[column]
    return place, pixel, rows.weight[row] * columns.weight[column]


def pair_of_ratios(function: str, sampling_ratio: Any) -> tuple[int | None, int | None]:
    """Return `sampling_ratio` as one number per axis, or None if it depends on the size of bins.

    Raises:
        ValueError: It is something else.
    """
    given = tuple(sampling_ratio) if isinstance(sampling_ratio, Sequence) else (sampling_ratio,) * 2
    try:
        rows, columns = [None if ratio is None else operator.index(ratio) for ratio in given]
    except (TypeError, ValueError):
        rows = columns = 0
    if (rows is not None and rows < 1) or (columns is not None and columns < 1):
        raise ValueError(f"{function}: sampling_ratio must be a number from 1, None, or a pair, not {sampling_ratio!r}")
    return rows, columns
