"""Weighted sums of pixels in bins of regions, and the transposed operation.

Pixels are rows of `channels` numbers. A bin has pixels ``first + row * width + column``; the weight of each is the
product of the weights of its row and column. Tables of rows: ``starts`` has one number for each region and bin along
the axis, and the end; ``places`` and ``weights`` lie from start to start.
"""

from __future__ import annotations

from numba import float32

from renga_kernels_numba.loops.intrinsics import Floats, Longs, loop

__all__ = ["spread", "sums"]


@loop
def sums(
    piece: int,
    pixels: Floats,
    first: Longs,
    row_starts: Longs,
    row_places: Longs,
    row_weights: Floats,
    column_starts: Longs,
    column_places: Longs,
    column_weights: Floats,
    y: Floats,
    channels: int,
    width: int,
    out_height: int,
    out_width: int,
    bins: int,
    size: int,
) -> None:
    """Each bin: the weighted sum of its pixels.

    Args:
        piece: Which `size` of the `bins` of all regions.
        pixels, first: Pixels of all images, and of each bin the first pixel of its image.
        row_starts, row_places, row_weights, column_starts, column_places, column_weights: Tables.
        y: ``(bins, channels)``.
        channels, width, out_height, out_width, bins, size: Sizes.
    """
    for place in range(piece * size, min(bins, (piece + 1) * size)):
        line = place // out_width
        region = line // out_height
        column = region * out_width + place - line * out_width
        at = place * channels
        for c in range(channels):
            y[at + c] = 0.0
        for a in range(row_starts[line], row_starts[line + 1]):
            start = first[place] + row_places[a] * width
            for b in range(column_starts[column], column_starts[column + 1]):
                weight = float32(row_weights[a] * column_weights[b])
                pixel = (start + column_places[b]) * channels
                for c in range(channels):
                    y[at + c] += weight * pixels[pixel + c]


@loop
def spread(
    piece: int,
    gy: Floats,
    first: Longs,
    row_starts: Longs,
    row_places: Longs,
    row_weights: Floats,
    column_starts: Longs,
    column_places: Longs,
    column_weights: Floats,
    gx: Floats,
    channels: int,
    width: int,
    out_height: int,
    out_width: int,
    bins: int,
    lines: int,
) -> None:
    """The gradient: each bin adds to its pixels, bin after bin. So the order of sums is fixed.

    Args:
        piece: Which `lines` of the lines of all images.
        gy: ``(bins, channels)``.
        first, row_starts, row_places, row_weights, column_starts, column_places, column_weights: As for `sums`.
        gx: Zeros, one row for each pixel.
        channels, width, out_height, out_width, bins: Sizes.
        lines: Rows of images in a piece.
    """
    low, high = piece * lines, (piece + 1) * lines
    for place in range(bins):
        line = place // out_width
        region = line // out_height
        column = region * out_width + place - line * out_width
        at, image = place * channels, first[place] // width
        for a in range(row_starts[line], row_starts[line + 1]):
            row = image + row_places[a]
            if row < low or row >= high:
                continue
            for b in range(column_starts[column], column_starts[column + 1]):
                weight = float32(row_weights[a] * column_weights[b])
                pixel = (row * width + column_places[b]) * channels
                for c in range(channels):
                    gx[pixel + c] += weight * gy[at + c]
