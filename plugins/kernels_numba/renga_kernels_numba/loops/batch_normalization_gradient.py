"""Gradients of batch normalization of a matrix ``(rows, width)``, and of the ReLU after it.

Where ReLU passes the gradient, its result says, or the result is computed anew, with the same bits as in forward.
"""

from __future__ import annotations

from numba import float32

from renga_kernels_numba.loops.batch_normalization import normalized
from renga_kernels_numba.loops.intrinsics import Float, Floats, inline, loop
from renga_kernels_numba.loops.numbers import read, write
from renga_kernels_numba.loops.pieces import CHANNELS

__all__ = ["gradient", "gradient_factors", "gradient_sums", "gradient_sums_residual"]


@inline
def passed(gradient: Float, result: Float, low: Float) -> Float:
    """The gradient that passes ``max(result, low)``."""
    return float32(0.0) if result <= low else gradient


@loop
def gradient_sums(
    block: int, x: Floats, gy: Floats, factors: Floats, sums: Floats, rows: int, width: int, size: int, floor: float
) -> None:
    """For each column, the sums of g and of ``g * (x - mean)`` over a block: ``sums[block]``, ``(2, width)``.

    g is the gradient that passes the floor of `apply`.
    """
    low = float32(floor)
    first = block * size
    stop = min(first + size, rows)
    plain, product = 2 * block * width, (2 * block + 1) * width
    whole = first + ((stop - first) >> 2 << 2)
    for c in range(2 * width):
        sums[plain + c] = 0.0
    for row in range(first, whole, 4):
        i = row * width
        for c in range(width):
            m = factors[c]
            i0, i1, i2, i3 = i + c, i + width + c, i + 2 * width + c, i + 3 * width + c
            x0, x1, x2, x3 = read(x, i0), read(x, i1), read(x, i2), read(x, i3)
            g0 = passed(read(gy, i0), normalized(x0, factors, c, width), low)
            g1 = passed(read(gy, i1), normalized(x1, factors, c, width), low)
            g2 = passed(read(gy, i2), normalized(x2, factors, c, width), low)
            g3 = passed(read(gy, i3), normalized(x3, factors, c, width), low)
            sums[plain + c] += (g0 + g1) + (g2 + g3)
            sums[product + c] += (g0 * (x0 - m) + g1 * (x1 - m)) + (g2 * (x2 - m) + g3 * (x3 - m))
    for row in range(whole, stop):
        i = row * width
        for c in range(width):
            number = read(x, i + c)
            g = passed(read(gy, i + c), normalized(number, factors, c, width), low)
            sums[plain + c] += g
            sums[product + c] += g * (number - factors[c])


@loop
def gradient_sums_residual(
    block: int,
    x: Floats,
    gy: Floats,
    y: Floats,
    gradient: Floats,
    factors: Floats,
    sums: Floats,
    rows: int,
    width: int,
    size: int,
) -> None:
    """As `gradient_sums`, of the gradient that passes ReLU, which it also writes: that of the residual."""
    first = block * size
    stop = min(first + size, rows)
    plain, product = 2 * block * width, (2 * block + 1) * width
    for c in range(2 * width):
        sums[plain + c] = 0.0
    for row in range(first, stop):
        i = row * width
        for c in range(width):
            g = passed(read(gy, i + c), read(y, i + c), float32(0.0))
            write(gradient, i + c, g)
            sums[plain + c] += g
            sums[product + c] += g * (read(x, i + c) - factors[c])


@loop
def gradient_factors(
    piece: int,
    sums: Floats,
    gamma: Floats,
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
        gamma, inv_std: Values per channel.
        results: Gradients of gamma and beta, ``(2, channels)``.
        factors: What `gradient` takes, ``(6, width)``; the last three rows are written.
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
            factors[3 * width + column] = scale
            factors[4 * width + column] = -ggamma * inv_std[c] * share
            factors[5 * width + column] = -work[c] * share


@loop
def gradient(
    block: int, x: Floats, gy: Floats, gx: Floats, factors: Floats, rows: int, width: int, size: int, floor: float
) -> None:
    """``gx = factors[3] * g + factors[4] * (x - factors[0]) + factors[5]`` for a block of rows; g as for the sums."""
    low = float32(floor)
    for row in range(block * size, min((block + 1) * size, rows)):
        i = row * width
        for c in range(width):
            number = read(x, i + c)
            g = passed(read(gy, i + c), normalized(number, factors, c, width), low)
            of_x = (number - factors[c]) * factors[4 * width + c] + factors[5 * width + c]
            write(gx, i + c, g * factors[3 * width + c] + of_x)
