"""Batch normalization of a matrix ``(rows, width)``; its columns are the channels, once or several times side by side.

Mean and variance of a block of rows are computed from deviations from the mean of its first eighth. If that mean is far
from the mean of the block, the variance is large too: at least an eighth of the squared distance. So rounding errors of
the variance grow by a factor of 8 at most, however large the mean is. The blocks' statistics are merged in their order,
in float64 (Chan, Golub & LeVeque 1983, "Algorithms for computing the sample variance", section 2).
"""

from __future__ import annotations

import math

from numba import float32

from renga_kernels_numba.loops.intrinsics import Float, Floats, inline, loop
from renga_kernels_numba.loops.numbers import read, write
from renga_kernels_numba.loops.pieces import CHANNELS

__all__ = ["apply", "apply_residual", "moments", "normalized", "statistics"]


@loop
def moments(block: int, x: Floats, sums: Floats, rows: int, width: int, size: int) -> None:
    """Statistics of a block of `size` rows, for each column: ``sums[block]``, ``(3, width)``.

    These are the mean of its first eighth, the sum of the deviations from it, and the sum of their squares.
    """
    first = block * size
    stop = min(first + size, rows)
    mean, deviation, square = 3 * block * width, (3 * block + 1) * width, (3 * block + 2) * width
    whole = first + ((stop - first) >> 3 << 3)
    eighth = first + ((stop - first + 7) >> 3)
    for c in range(3 * width):
        sums[mean + c] = 0.0
    for row in range(first, eighth):
        for c in range(width):
            sums[mean + c] += read(x, row * width + c)
    share = float32(1.0 / (eighth - first))
    for c in range(width):
        sums[mean + c] *= share
    for row in range(first, whole, 8):
        i = row * width
        for c in range(width):
            m = sums[mean + c]
            i4 = i + 4 * width + c
            x0, x1 = read(x, i + c) - m, read(x, i + width + c) - m
            x2, x3 = read(x, i + 2 * width + c) - m, read(x, i + 3 * width + c) - m
            x4, x5 = read(x, i4) - m, read(x, i4 + width) - m
            x6, x7 = read(x, i4 + 2 * width) - m, read(x, i4 + 3 * width) - m
            sums[deviation + c] += ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7))
            low, high = (x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3), (x4 * x4 + x5 * x5) + (x6 * x6 + x7 * x7)
            sums[square + c] += low + high
    for row in range(whole, stop):
        for c in range(width):
            d = read(x, row * width + c) - sums[mean + c]
            sums[deviation + c] += d
            sums[square + c] += d * d


@loop
def statistics(
    piece: int,
    sums: Floats,
    gamma: Floats,
    beta: Floats,
    results: Floats,
    factors: Floats,
    work: Floats,
    rows: int,
    size: int,
    channels: int,
    copies: int,
    eps: float,
) -> None:
    """Merge `moments` for a piece of the channels.

    Args:
        piece: Number of the piece.
        sums: From `moments`.
        gamma, beta: Values per channel.
        results: Mean, variance, and one over the standard deviation, ``(3, channels)``.
        factors: What `apply` takes, ``(3, width)``.
        work: Room for two float64 of each channel.
        rows, size: As in `moments`.
        channels, copies: Their product is the width. Columns ``c``, ``c + channels``, … belong to channel ``c``.
        eps: Added to the variance.
    """
    first = piece * CHANNELS
    stop = min(first + CHANNELS, channels)
    width = channels * copies
    for c in range(first, stop):
        work[c] = 0.0
        work[channels + c] = 0.0
    total = 0
    block = 0
    while block * size < rows:
        count = min(size, rows - block * size)
        for copy in range(copies):
            mean = 3 * block * width + copy * channels
            share = 1.0 / count
            weight = count / (total + count)
            between = total * weight
            for c in range(first, stop):
                deviation = sums[mean + width + c] * 1.0
                step = sums[mean + c] + deviation * share - work[c]
                work[c] += step * weight
                within = sums[mean + 2 * width + c] - deviation * deviation * share
                work[channels + c] += within + step * step * between
            total += count
        block += 1
    for c in range(first, stop):
        mean_c = float32(work[c])
        var = work[channels + c] / total
        inv_std = 1.0 / math.sqrt(var + eps)
        results[c] = mean_c
        results[channels + c] = var
        results[2 * channels + c] = inv_std
        scale = gamma[c] * inv_std
        # What rounding the mean to float32 has cut off; 0 times infinity would be NaN.
        cut = (work[c] - mean_c) * scale if math.isfinite(scale) else 0.0
        for copy in range(copies):
            column = copy * channels + c
            factors[column] = mean_c
            factors[width + column] = scale
            factors[2 * width + column] = beta[c] - cut


@inline
def normalized(number: Float, factors: Floats, c: int, width: int) -> Float:
    """``(x - factors[0]) * factors[1] + factors[2]``, in column `c`; backward computes the same bits as forward."""
    return (number - factors[c]) * factors[width + c] + factors[2 * width + c]


@loop
def apply(block: int, x: Floats, y: Floats, factors: Floats, rows: int, width: int, size: int, floor: float) -> None:
    """``y = max(normalized(x), floor)`` for a block of rows. ReLU has the floor 0; for NaN, there is none."""
    low = float32(floor)
    # Row by row: to write several rows at once takes up to twice as long where y is not in the cache.
    for row in range(block * size, min((block + 1) * size, rows)):
        i = row * width
        for c in range(width):
            number = normalized(read(x, i + c), factors, c, width)
            write(y, i + c, low if number < low else number)


@loop
def apply_residual(
    block: int, x: Floats, residual: Floats, y: Floats, factors: Floats, rows: int, width: int, size: int
) -> None:
    """``y = max(normalized(x) + residual, 0)`` for a block of rows."""
    low = float32(0.0)
    for row in range(block * size, min((block + 1) * size, rows)):
        i = row * width
        for c in range(width):
            number = normalized(read(x, i + c), factors, c, width) + read(residual, i + c)
            write(y, i + c, low if number < low else number)
