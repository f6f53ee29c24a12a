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

from renga_core.backend import is_floating, to_host
from renga_core.graph import InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape, transpose
from renga_nn.functions.checks import as_number, require_array
from renga_nn.functions.window import per_axis

__all__ = ["Host", "Regions", "Weights", "bins", "pair_of_ratios", "rows_of_pixels"]

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

    @property
    def starts(self) -> Host:
        """Where each bin begins among the pixels, ``(R, out)``."""
        starts: Host = (np.cumsum(self.number) - self.number.reshape(-1)).reshape(self.number.shape)
        return starts

    @staticmethod
    def of(pixel: Host, weight: Host) -> Weights:
        """Make it from tables ``(R, out, n)``."""
        counts = weight != 0
        return Weights(counts.sum(axis=2), pixel[counts], weight[counts])


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
