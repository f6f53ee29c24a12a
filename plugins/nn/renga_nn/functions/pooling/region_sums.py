"""Weighted sums of the pixels of many regions, and the transposed operation, which is the gradient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import FunctionNode
from renga_core.graph.operators import cast
from renga_core.kernel import Operation
from renga_nn.functions.math.sparse_matmul import SPARSE_MATMUL
from renga_nn.functions.pooling.regions import Host, Weights

__all__ = ["REGION_SPREAD", "REGION_SUMS", "BinWeights", "RegionSums", "weighted_sums"]

_AT_ONCE = 1 << 27
"""The largest number of products of pixels and weights at a time, which limits memory."""


@dataclass(frozen=True, slots=True)
class BinWeights:
    """What each bin of each region sums up, on the host.

    Attributes:
        first: The row of the first pixel of the bin's image, integers ``(R, out, out')``.
        width: Number of pixels in a row of an image.
        rows, columns: The weight of a pixel in a bin is the product of the weights of its row and column.
    """

    first: Host
    width: int
    rows: Weights
    columns: Weights

    def elements(self, channels: int) -> Iterator[tuple[slice, Host, Host, Host]]:
        """The sparse matrix from pixels to bins, for a few regions at a time.

        Args:
            channels: Number of channels of a pixel.

        Yields:
            The regions; and bin (counted from the first of these regions), pixel and weight of each element.
        """
        products = channels * self.rows.number.sum(axis=1) * self.columns.number.sum(axis=1)
        starts = np.flatnonzero(np.diff(np.cumsum(products) // _AT_ONCE)) + 1
        for start, end in zip([0, *starts], [*starts, len(products)], strict=True):
            part = slice(start, end)
            yield part, *self._of_regions(part)

    def _of_regions(self, part: slice) -> tuple[Host, Host, Host]:
        """Bin, pixel and weight of each element of the matrix of some regions."""
        first = self.first[part]

        def of_bins(table: Host, axis: int) -> Host:
            return np.broadcast_to(np.expand_dims(table[part], axis), first.shape).reshape(-1)

        first_row, first_column = (axis.starts for axis in (self.rows, self.columns))
        n_columns = of_bins(self.columns.number, 1)
        number = of_bins(self.rows.number, 2) * n_columns
        place = np.repeat(np.arange(number.size), number)
        row, column = np.divmod(np.arange(len(place)) - (np.cumsum(number) - number)[place], n_columns[place])
        row += of_bins(first_row, 2)[place]
        column += of_bins(first_column, 1)[place]
        pixel = first.reshape(-1)[place] + self.rows.pixel[row] * self.width + self.columns.pixel[column]
        return place, pixel, self.rows.weight[row] * self.columns.weight[column]


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
    dtype = pixels.dtype
    if dtype == "float16":
        pixels = cast(pixels, "float32")
    shape = (len(rows.number), rows.number.shape[1], columns.number.shape[1])
    weights = BinWeights(np.ascontiguousarray(np.broadcast_to(first, shape), np.int64), width, rows, columns)
    (y,) = RegionSums(weights).apply((pixels,))
    return y if y.dtype == dtype else cast(y, dtype)


def _sums(pixels: Array, weights: BinWeights) -> Array:
    """Weighted sums of pixels.

    Args:
        pixels: ``(P, channels)``: the pixels of all images.
        weights: The weights of pixels in each bin.

    Returns:
        Array ``(R, channels, out, out')``.
    """
    xp = get_array_module(pixels)
    n, *out = weights.first.shape
    parts = []
    for part, place, pixel, weight in weights.elements(pixels.shape[1]):
        bins = (part.stop - part.start) * out[0] * out[1]
        args = (xp.asarray(weight, dtype=pixels.dtype), xp.asarray(place), xp.asarray(pixel), bins, pixels)
        parts.append(SPARSE_MATMUL.select(get_backend(pixels), *args).forward(*args))
    y = parts[0] if len(parts) == 1 else xp.concatenate(parts, axis=0)
    return y.reshape(n, *out, pixels.shape[1]).transpose(0, 3, 1, 2)


def _spread(gy: Array, weights: BinWeights, count: int) -> Array:
    """The transposed operation: each pixel gets the weighted sum of the bins that have it.

    Args:
        gy: ``(R, channels, out, out')``.
        weights: As for the sums.
        count: Number of pixels of all images.

    Returns:
        Array ``(count, channels)``.
    """
    xp, channels = get_array_module(gy), gy.shape[1]
    rows = gy.transpose(0, 2, 3, 1)
    total = None
    for part, place, pixel, weight in weights.elements(channels):
        dense = rows[part].reshape(-1, channels)
        args = (xp.asarray(weight, dtype=gy.dtype), xp.asarray(pixel), xp.asarray(place), count, dense)
        found = SPARSE_MATMUL.select(get_backend(gy), *args).forward(*args)
        total = found if total is None else total + found
    return total


_SAMPLES = "renga_nn.functions.pooling.region_arguments"
REGION_SUMS = Operation("region_sums", _sums, samples=f"{_SAMPLES}:region_sums")
REGION_SPREAD = Operation("region_spread", _spread, samples=f"{_SAMPLES}:region_spread")


class RegionSums(FunctionNode):
    """Weighted sums of the pixels in each bin of each region."""

    fresh_gradients = True

    def __init__(self, weights: BinWeights) -> None:
        self.weights = weights

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Add up."""
        args = (inputs[0], self.weights)
        return (REGION_SUMS.select(get_backend(inputs[0]), *args).forward(*args),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The transposed operation."""
        return RegionSpread(self.weights, self.inputs[0].shape[0]).apply(grad_outputs)


class RegionSpread(FunctionNode):
    """The transposed operation of `RegionSums`."""

    fresh_gradients = True

    def __init__(self, weights: BinWeights, count: int) -> None:
        self.weights = weights
        self.count = count

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Add up for each pixel."""
        args = (inputs[0], self.weights, self.count)
        return (REGION_SPREAD.select(get_backend(inputs[0]), *args).forward(*args),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The sums."""
        return RegionSums(self.weights).apply(grad_outputs)
