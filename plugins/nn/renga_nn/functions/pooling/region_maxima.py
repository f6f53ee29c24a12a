"""The largest sample in each bin of many regions, with its gradient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import FunctionNode
from renga_core.graph.operators import cast
from renga_core.kernel import Operation
from renga_nn.functions.pooling.largest_elements import places_of_largest
from renga_nn.functions.pooling.regions import Host
from renga_nn.functions.pooling.samples import Samples

__all__ = ["REGION_MAXIMA", "REGION_MAXIMA_SPREAD", "BinSamples", "largest_elements", "largest_samples", "zero_unless"]


@dataclass(frozen=True, slots=True)
class BinSamples:
    """The samples of each bin of each region, on the host.

    Attributes:
        first: The row of the first pixel of the bin's image, integers ``(R, out, out')``.
        size: Height and width of the images.
        rows, columns: The sampling points along each axis.
        between: Whether samples lie between pixels: each is then a weighted sum of four. Otherwise each is a pixel.
    """

    first: Host
    size: tuple[int, int]
    rows: Samples
    columns: Samples
    between: bool

    @staticmethod
    def of(first: Host, size: tuple[int, int], rows: Samples, columns: Samples, between: bool) -> BinSamples:
        """Make it from `first` ``(R, out, out')``, or sizes of 1."""
        shape = (len(rows.low), rows.low.shape[1], columns.low.shape[1])
        return BinSamples(np.ascontiguousarray(np.broadcast_to(first, shape), np.int64), size, rows, columns, between)

    def pixels(self, number: Array) -> Iterator[tuple[Array, Array | None]]:
        """The pixels of one sample of each bin and channel.

        Args:
            number: The number of the sample among the bin's, integers ``(R, out, out', C)``.

        Yields:
            For each of the one or four pixels of a sample: its row in the matrix of all pixels, ``(R, out, out', C)``,
            and its weight, None for 1.
        """
        xp = get_array_module(number)
        i, j = number // self.columns.low.shape[2], number % self.columns.low.shape[2]
        n, height, width = self.first.shape
        row = xp.arange(n * height).reshape(n, height, 1, 1) * self.rows.low.shape[2] + i
        column = xp.arange(n * width).reshape(n, 1, width, 1) * self.columns.low.shape[2] + j

        def of_samples(table: Host, places: Array) -> Array:
            return xp.asarray(table.reshape(-1))[places.reshape(-1)].reshape(places.shape)

        first = xp.asarray(self.first)[..., None]
        if not self.between:
            yield first + of_samples(self.rows.low, row) * self.size[1] + of_samples(self.columns.low, column), None
            return
        row_share, column_share = of_samples(self.rows.share, row), of_samples(self.columns.share, column)
        for row_table, row_weight in ((self.rows.low, 1 - row_share), (self.rows.high, row_share)):
            line = first + of_samples(row_table, row) * self.size[1]
            for table, weight in ((self.columns.low, 1 - column_share), (self.columns.high, column_share)):
                yield line + of_samples(table, column), row_weight * weight


def largest_samples(
    pixels: Any, first: Host, size: tuple[int, int], rows: Samples, columns: Samples
) -> tuple[Any, Host]:
    """The largest sample of each bin; for ties the gradient goes to the first. NaN is larger than all numbers.

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
    return _maxima(pixels, BinSamples.of(first, size, rows, columns, True)), found


def largest_elements(
    pixels: Any, first: Host, size: tuple[int, int], rows: tuple[Host, Host], columns: tuple[Host, Host]
) -> tuple[Any, Host]:
    """The largest element of each bin of whole pixels. NaN is larger than all numbers.

    Of ties, the first in row-major order gets the gradient.

    Args:
        pixels: Matrix with a row for each pixel of each image, and a column for each channel.
        first: For each bin, the row of its image's first pixel: ``(R, out, out')``, or sizes of 1.
        size: Height and width of the images.
        rows, columns: Start and end of the bins, integers ``(R, out)`` and ``(R, out')``.

    Returns:
        Variable ``(R, channels, out, out')``, and a mask of bins with pixels, ``(R, out, out')``. The other bins
        contain arbitrary values of the image.
    """
    found = np.asarray((rows[1] > rows[0])[:, :, None] & (columns[1] > columns[0])[:, None, :])
    down, across = [Samples.of_pixels(*axis, length) for axis, length in zip((rows, columns), size, strict=True)]
    return _maxima(pixels, BinSamples.of(first, size, down, across, False)), found


def zero_unless(found: Host, y: Any) -> Any:
    """The results of bins that have elements, 0 for the others.

    Args:
        found: Which bins have elements, booleans ``(R, out, out')``.
        y: Variable ``(R, C, out, out')``.
    """
    if found.all():
        return y
    return y * get_array_module(y.array).asarray(found[:, None], dtype=y.dtype)


def _maxima(pixels: Any, samples: BinSamples) -> Any:
    """The largest sample of each bin, Variable ``(R, channels, out, out')``."""
    dtype = pixels.dtype
    if dtype == "float16":
        pixels = cast(pixels, "float32")
    y = RegionMaxima(samples).apply((pixels,))[0]
    return y if y.dtype == dtype else cast(y, dtype)


def _forward(pixels: Array, samples: BinSamples) -> tuple[Array, Array]:
    """The largest sample of each bin.

    Args:
        pixels: ``(P, C)``: the pixels of all images.
        samples: The samples.

    Returns:
        Array ``(R, C, out, out')``; and for each element the number of its sample, int32 ``(R, out, out', C)``:
        ``i * columns + j``, where `columns` is the number of samples along a row.
    """
    find = _largest_between if samples.between else _largest_pixels
    number = find(pixels, samples).astype("int32")
    return _taken(pixels, number, samples), number


def _largest_pixels(pixels: Array, samples: BinSamples) -> Array:
    """The number of the first largest pixel of each bin, ``(R, out, out', C)``."""
    xp, channels = get_array_module(pixels), pixels.shape[1]
    height, width = samples.size
    if not samples.first.size:
        return xp.zeros((*samples.first.shape, channels), dtype="int64")
    starts = [axis.low[..., 0] for axis in (samples.rows, samples.columns)]
    ends = [axis.low[..., -1] + 1 for axis in (samples.rows, samples.columns)]
    rows, columns = zip(starts, ends, strict=True)
    images = pixels.reshape(-1, height, width, channels)
    place = places_of_largest(images, samples.first // (height * width), rows, columns)
    pixel = place // channels - xp.asarray(samples.first)[..., None]
    i = pixel // width - xp.asarray(starts[0])[:, :, None, None]
    j = pixel % width - xp.asarray(starts[1])[:, None, :, None]
    return i * samples.columns.low.shape[2] + j


def _largest_between(pixels: Array, samples: BinSamples) -> Array:
    """The number of the first largest valid sample of each bin, ``(R, out, out', C)``."""
    xp = get_array_module(pixels)
    rows, columns = samples.rows, samples.columns
    best = number = None
    for i in range(rows.low.shape[2]):
        for j in range(columns.low.shape[2]):
            k = i * columns.low.shape[2] + j
            counts = rows.valid[:, :, None, i] & columns.valid[:, None, :, j]
            seen = _weighted(pixels, samples.pixels(xp.full((*counts.shape, 1), k, dtype="int32")))
            seen = xp.where(xp.asarray(counts[..., None]), seen, -xp.inf)
            if best is None:
                best, number = seen, xp.zeros(seen.shape, dtype="int64")
            else:
                better = (seen > best) | (xp.isnan(seen) & ~xp.isnan(best))
                best, number = xp.where(better, seen, best), xp.where(better, k, number)
    return number


def _weighted(pixels: Array, corners: Iterator[tuple[Array, Array | None]]) -> Array:
    """The sum of whole pixels, ``(R, out, out', C)``; rows and weights are ``(R, out, out', 1)``."""
    xp = get_array_module(pixels)
    total: Any = 0.0
    for row, weight in corners:
        part = pixels[row.reshape(-1)].reshape(*row.shape[:-1], pixels.shape[1])
        total = total + part * xp.asarray(weight, dtype=pixels.dtype)
    return total


def _taken(pixels: Array, number: Array, samples: BinSamples) -> Array:
    """The samples with these numbers, ``(R, C, out, out')``."""
    xp, channels = get_array_module(pixels), pixels.shape[1]
    flat = pixels.reshape(-1)
    y: Any = None
    for row, weight in samples.pixels(number):
        part = flat[(row * channels + xp.arange(channels)).reshape(-1)].reshape(row.shape)
        if weight is not None:
            part = part * xp.asarray(weight, dtype=pixels.dtype)
        y = part if y is None else y + part
    return y.transpose(0, 3, 1, 2)


def _spread(gy: Array, number: Array, samples: BinSamples, count: int) -> Array:
    """The gradient of `_taken`: each element goes to the pixels of its sample.

    Args:
        gy: ``(R, C, out, out')``.
        number: As `_forward` returns it.
        samples: The samples.
        count: Number of pixels of all images.

    Returns:
        Array ``(count, C)``.
    """
    backend, xp, channels = get_backend(gy), get_array_module(gy), gy.shape[1]
    gradient = gy.transpose(0, 2, 3, 1)
    gx = xp.zeros((count * channels,), dtype=gy.dtype)
    for row, weight in samples.pixels(number):
        part = gradient if weight is None else gradient * xp.asarray(weight, dtype=gy.dtype)
        backend.scatter_add(gx, (row * channels + xp.arange(channels)).reshape(-1), part.reshape(-1))
    return gx.reshape(count, channels)


_SAMPLES = "renga_nn.functions.pooling.region_arguments"
REGION_MAXIMA = Operation("region_maxima", _forward, samples=f"{_SAMPLES}:region_maxima")
REGION_MAXIMA_SPREAD = Operation("region_maxima_spread", _spread, samples=f"{_SAMPLES}:region_maxima_spread")


class RegionMaxima(FunctionNode):
    """The largest sample of each bin of each region, and its number."""

    def __init__(self, samples: BinSamples) -> None:
        self.samples = samples

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Search."""
        args = (inputs[0], self.samples)
        self.retain_outputs((1,))
        return tuple(REGION_MAXIMA.select(get_backend(inputs[0]), *args).forward(*args))

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """To the pixels of the samples."""
        (number,) = self.get_retained_outputs()
        return Spread(self.samples, self.inputs[0].shape[0]).apply((grad_outputs[0], number.array))


class Spread(FunctionNode):
    """Gradients of the samples with given numbers, as gradients of pixels."""

    fresh_gradients = True

    def __init__(self, samples: BinSamples, count: int) -> None:
        self.samples = samples
        self.count = count

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Add up for each pixel."""
        self.retain_inputs((1,))
        args = (*inputs, self.samples, self.count)
        return (REGION_MAXIMA_SPREAD.select(get_backend(inputs[0]), *args).forward(*args),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Take the samples with these numbers."""
        (number,) = self.get_retained_inputs()
        return Taken(self.samples).apply((grad_outputs[0], number.array))


class Taken(FunctionNode):
    """The samples with given numbers, from a matrix of pixels."""

    fresh_gradients = True

    def __init__(self, samples: BinSamples) -> None:
        self.samples = samples

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Take them."""
        self.retain_inputs((1,))
        pixels, number = inputs
        return (_taken(pixels, number, self.samples),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """To the pixels of the samples."""
        (number,) = self.get_retained_inputs()
        return Spread(self.samples, self.inputs[0].shape[0]).apply((grad_outputs[0], number.array))
