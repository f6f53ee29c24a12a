"""Batch normalization of a matrix ``(rows, width)``; its columns are the channels, once or several times side by side.

Mean and variance of a block of rows are computed from deviations from the mean of its first eighth. If that mean is far
from the mean of the block, the variance is large too: at least an eighth of the squared distance. So rounding errors of
the variance grow by a factor of 8 at most, however large the mean is. The blocks' statistics are merged in their order,
in float64 (Chan, Golub & LeVeque 1983, "Algorithms for computing the sample variance", section 2).
"""

from __future__ import annotations

import math

from numba import float32

from renga_kernels_numba.loops.intrinsics import Floats, loop
from renga_kernels_numba.loops.pieces import CHANNELS

__all__ = ["apply", "gradient", "gradient_factors", "gradient_sums", "moments", "statistics"]


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
            sums[mean + c] += x[row * width + c]
    share = float32(1.0 / (eighth - first))
    for c in range(width):
        sums[mean + c] *= share
    for row in range(first, whole, 8):
        i = row * width
        for c in range(width):
            m = sums[mean + c]
            x0, x1, x2, x3 = x[i + c] - m, x[i + width + c] - m, x[i + 2 * width + c] - m, x[i + 3 * width + c] - m
            i4 = i + 4 * width + c
            x4, x5, x6, x7 = x[i4] - m, x[i4 + width] - m, x[i4 + 2 * width] - m, x[i4 + 3 * width] - m
            sums[deviation + c] += ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7))
            low, high = (x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3), (x4 * x4 + x5 * x5) + (x6 * x6 + x7 * x7)
            sums[square + c] += low + high
    for row in range(whole, stop):
        for c in range(width):
            d = x[row * width + c] - sums[mean + c]
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
        for copy in range(copies):
            column = copy * channels + c
            factors[column] = mean_c
            factors[width + column] = scale
            # What rounding the mean to float32 has cut off.
            factors[2 * width + column] = beta[c] - (work[c] - mean_c) * scale


@loop
def apply(block: int, x: Floats, y: Floats, factors: Floats, rows: int, width: int, size: int) -> None:
    """``y = (x - factors[0]) * factors[1] + factors[2]`` for a block of rows."""
    # Row by row: to write several rows at once takes up to twice as long where y is not in the cache.
    for row in range(block * size, min((block + 1) * size, rows)):
        i = row * width
        for c in range(width):
            y[i + c] = (x[i + c] - factors[c]) * factors[width + c] + factors[2 * width + c]


@loop
def gradient_sums(
    block: int, x: Floats, gy: Floats, mean: Floats, sums: Floats, rows: int, width: int, size: int
) -> None:
    """For each column, the sums of ``gy`` and of ``gy * (x - mean)`` over a block: ``sums[block]``, ``(2, width)``."""
    first = block * size
    stop = min(first + size, rows)
    plain, product = 2 * block * width, (2 * block + 1) * width
    whole = first + ((stop - first) >> 2 << 2)
    for c in range(2 * width):
        sums[plain + c] = 0.0
    for row in range(first, whole, 4):
        i = row * width
        for c in range(width):
            m = mean[c]
            i1, i2, i3 = i + width, i + 2 * width, i + 3 * width
            g0, g1, g2, g3 = gy[i + c], gy[i1 + c], gy[i2 + c], gy[i3 + c]
            sums[plain + c] += (g0 + g1) + (g2 + g3)
            low = g0 * (x[i + c] - m) + g1 * (x[i1 + c] - m)
            sums[product + c] += low + (g2 * (x[i2 + c] - m) + g3 * (x[i3 + c] - m))
    for row in range(whole, stop):
        i = row * width
        for c in range(width):
            sums[plain + c] += gy[i + c]
            sums[product + c] += gy[i + c] * (x[i + c] - mean[c])


@loop
def gradient_factors(
    piece: int,
    sums: Floats,
    gamma: Floats,
    mean: Floats,
    inv_std: Floats,
    results: Floats,
    factors: Floats,
    work: Floats,
    rows: int,
    size: int,
    channels: int,
    copies: int,
) -> None:
    """Add `gradient_sums` for a piece of the channels.

    Args:
        piece: Number of the piece.
        sums: From `gradient_sums`.
        gamma, mean, inv_std: Values per channel.
        results: Gradients of gamma and beta, ``(2, channels)``.
        factors: What `gradient` takes, ``(4, width)``.
        work: Room for two float64 of each channel.
        rows, size: As in `gradient_sums`.
        channels, copies: As in `statistics`.
    """
    first = piece * CHANNELS
    stop = min(first + CHANNELS, channels)
    width = channels * copies
    for c in range(first, stop):
        work[c] = 0.0
        work[channels + c] = 0.0
    block = 0
    while block * size < rows:
        for copy in range(copies):
            plain = 2 * block * width + copy * channels
            for c in range(first, stop):
                work[c] += sums[plain + c]
                work[channels + c] += sums[plain + width + c]
        block += 1
    for c in range(first, stop):
        ggamma = work[channels + c] * inv_std[c]
        results[c] = ggamma
        results[channels + c] = work[c]
        scale = gamma[c] * inv_std[c]
        share = scale / (float(rows) * copies)
        for copy in range(copies):
            column = copy * channels + c
            factors[column] = mean[c]
            factors[width + column] = scale
            factors[2 * width + column] = -ggamma * inv_std[c] * share
            factors[3 * width + column] = -work[c] * share


@loop
def gradient(block: int, x: Floats, gy: Floats, gx: Floats, factors: Floats, rows: int, width: int, size: int) -> None:
    """``gx = factors[1] * gy + factors[2] * (x - factors[0]) + factors[3]`` for a block of rows."""
    for row in range(block * size, min((block + 1) * size, rows)):
        i = row * width
        for c in range(width):
            of_x = (x[i + c] - factors[c]) * factors[2 * width + c] + factors[3 * width + c]
            gx[i + c] = gy[i + c] * factors[width + c] + of_x
