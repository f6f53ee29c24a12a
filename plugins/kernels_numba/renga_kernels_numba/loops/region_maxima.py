"""The largest sample of each bin of regions, and the gradient.

Pixels are rows of `channels` numbers. The sample ``(i, j)`` of a bin is the pixel ``first + row_low * width +
column_low``; or, between pixels, a weighted sum of this one and its neighbours. Tables of rows are ``(regions,
out_height, down)``, of columns ``(regions, out_width, across)``. The sample has the number ``i * across + j``.
"""

from __future__ import annotations

from numba import float32, int32

from renga_kernels_numba.loops.intrinsics import Floats, Longs, exact, loop

__all__ = ["maxima", "spread"]

_ZERO = float32(0)
_LOWEST = float32(float("-inf"))


@exact
def maxima(
    piece: int,
    pixels: Floats,
    first: Longs,
    row_low: Longs,
    row_high: Longs,
    row_share: Floats,
    row_valid: Longs,
    column_low: Longs,
    column_high: Longs,
    column_share: Floats,
    column_valid: Longs,
    y: Floats,
    number: Longs,
    channels: int,
    width: int,
    out_height: int,
    out_width: int,
    down: int,
    across: int,
    between: int,
    bins: int,
    size: int,
) -> None:
    """Search. Each operation is rounded as in NumPy, so results equal the reference's.

    Args:
        piece: Which `size` of the `bins` of all regions.
        pixels, first: Pixels of all images, and of each bin the first pixel of its image.
        row_low, row_high, row_share, row_valid, column_low, column_high, column_share, column_valid: Tables.
        y, number: ``(bins, channels)``: largest samples, and their numbers.
        channels, width, out_height, out_width, down, across, bins, size: Sizes.
        between: Whether samples lie between pixels.
    """
    for place in range(piece * size, min(bins, (piece + 1) * size)):
        line = place // out_width
        region = line // out_height
        rows, columns = line * down, (region * out_width + place - line * out_width) * across
        at = place * channels
        for c in range(channels):
            y[at + c] = _LOWEST
            number[at + c] = 0
        for k in range(down * across + 1):
            # At the end the first sample again: the result of bins without valid samples.
            again = k == down * across
            i = 0 if again else k // across
            j = 0 if again else k - i * across
            a, b = rows + i, columns + j
            valid = (row_valid[a] != 0) & (column_valid[b] != 0)
            if valid == again:
                continue
            upper = (first[place] + row_low[a] * width + column_low[b]) * channels
            if between == 0:
                for c in range(channels):
                    _keep(y, number, at + c, pixels[upper + c], k, again)
                continue
            right = (column_high[b] - column_low[b]) * channels
            lower = upper + (row_high[a] - row_low[a]) * width * channels
            r, s = row_share[a], column_share[b]
            w0, w1 = float32((1 - r) * (1 - s)), float32((1 - r) * s)
            w2, w3 = float32(r * (1 - s)), float32(r * s)
            for c in range(channels):
                value = pixels[upper + c] * w0 + pixels[upper + right + c] * w1
                value = value + pixels[lower + c] * w2 + pixels[lower + right + c] * w3
                _keep(y, number, at + c, value, k, again)


@exact
def _keep(y: Floats, number: Longs, at: int, value: float, k: int, again: bool) -> None:
    """Keep a value if it is larger than the best one; NaN is larger than all numbers."""
    best, held = y[at], number[at]
    better = ((value > best) | (value != value)) & (best == best)
    if again:
        y[at] = value if held == 0 else best
    else:
        y[at] = value if better else best
        number[at] = int32(k) if better else held


@loop
def spread(
    piece: int,
    gy: Floats,
    number: Longs,
    first: Longs,
    row_low: Longs,
    row_high: Longs,
    row_share: Floats,
    row_valid: Longs,
    column_low: Longs,
    column_high: Longs,
    column_share: Floats,
    column_valid: Longs,
    gx: Floats,
    channels: int,
    width: int,
    out_height: int,
    out_width: int,
    down: int,
    across: int,
    between: int,
    bins: int,
    lines: int,
) -> None:
    """The gradient: each bin adds to the pixels of its sample, bin after bin. So the order of sums is fixed.

    Args:
        piece: Which `lines` of the lines of all images.
        gy, number: ``(bins, channels)``.
        first, row_low, row_high, row_share, row_valid, column_low, column_high, column_share, column_valid: As for
            `maxima`.
        gx: Zeros, one row for each pixel.
        channels, width, out_height, out_width, down, across, between, bins: As for `maxima`.
        lines: Rows of images in a piece.
    """
    low, high = piece * lines, (piece + 1) * lines
    for place in range(bins):
        line = place // out_width
        region = line // out_height
        rows, columns = line * down, (region * out_width + place - line * out_width) * across
        at, image = place * channels, first[place] // width
        for i in range(down):
            a = rows + i
            for corner_row in range(1 + between):
                row = image + (row_high[a] if corner_row == 1 else row_low[a])
                if row < low or row >= high:
                    continue
                row_weight = row_share[a] if corner_row == 1 else 1 - row_share[a]
                for j in range(across):
                    b, k = columns + j, i * across + j
                    if k > 0 and (row_valid[a] == 0 or column_valid[b] == 0):
                        continue
                    for corner in range(1 + between):
                        column = column_high[b] if corner == 1 else column_low[b]
                        share = column_share[b] if corner == 1 else 1 - column_share[b]
                        weight = float32(row_weight * share)
                        pixel = (row * width + column) * channels
                        for c in range(channels):
                            gx[pixel + c] += weight * gy[at + c] if number[at + c] == k else _ZERO
