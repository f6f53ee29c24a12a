"""Where bins of regions are sampled along an axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from renga_nn.functions.pooling.regions import Host, Regions, Weights

__all__ = ["Samples"]


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

    @staticmethod
    def of_pixels(start: Host, end: Host, size: int) -> Samples:
        """All pixels from a start to an end: the samples of bins that consist of whole pixels.

        Args:
            start, end: Integers ``(R, out)``. A bin without pixels gets one.
            size: Number of pixels of the axis.
        """
        last = np.clip(end - 1, 0, size - 1)[..., None]
        start = np.clip(np.minimum(start, end - 1), 0, size - 1)[..., None]
        place = start + np.arange((last - start).max(initial=0) + 1)
        low = np.minimum(place, last)
        return Samples(low, low, np.zeros(low.shape), place <= last, np.ones((len(low), 1, 1)))

    def weights(self) -> Weights:
        """The weights of pixels in the mean of each bin's samples."""
        share = self.valid / self.count
        pixel = np.concatenate((self.low, self.high), axis=2)
        return Weights.of(pixel, np.concatenate(((1 - self.share) * share, self.share * share), axis=2))
