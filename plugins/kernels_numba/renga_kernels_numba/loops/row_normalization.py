"""Normalization of each row of a matrix ``(rows, units)``: layer normalization, and that by the root mean square."""

from __future__ import annotations

import math

from numba import float32

from renga_kernels_numba.loops.intrinsics import Floats, sum_loop

__all__ = ["backward", "forward"]


@sum_loop
def forward(
    piece: int,
    x: Floats,
    gamma: Floats,
    beta: Floats,
    y: Floats,
    mean: Floats,
    inv_std: Floats,
    rows: int,
    units: int,
    size: int,
    centred: int,
    eps: float,
) -> None:
    """``y = (x - mean) * inv_std * gamma + beta``; deviations are from the mean, so a large one costs nothing.

    Args:
        piece: Which `size` rows.
        x, gamma, beta: Rows ``(rows, units)``, and scale and shift of the units.
        y: The result.
        mean, inv_std: Statistics of each row.
        rows, units, size: Sizes.
        centred: 0: the mean is taken to be 0.
        eps: Added to the variance.
    """
    share = 1.0 / units
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        i = row * units
        total, square = float32(0), float32(0)
        if centred:
            for c in range(units):
                total += x[i + c]
        m = float32(total * share)
        for c in range(units):
            square += (x[i + c] - m) * (x[i + c] - m)
        inv = float32(1.0 / math.sqrt(square * share + eps))
        for c in range(units):
            y[i + c] = (x[i + c] - m) * inv * gamma[c] + beta[c]
        mean[row], inv_std[row] = m, inv


@sum_loop
def backward(
    piece: int,
    x: Floats,
    gamma: Floats,
    mean: Floats,
    inv_std: Floats,
    gy: Floats,
    gx: Floats,
    sums: Floats,
    rows: int,
    units: int,
    size: int,
    centred: int,
) -> None:
    """The chain rule through `forward`.

    Args:
        piece: Which `size` rows.
        x, gamma, mean, inv_std: As in `forward`.
        gy, gx: Gradients of y and x.
        sums: ``(pieces, 2, units)``: the piece's part of the gradients of gamma and beta.
        rows, units, size, centred: As in `forward`.
    """
    share = 1.0 / units
    first = 2 * piece * units
    second = first + units
    for c in range(2 * units):
        sums[first + c] = 0.0
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        i = row * units
        m, inv = mean[row], inv_std[row]
        plain, product = float32(0), float32(0)
        for c in range(units):
            g, hat = gy[i + c], (x[i + c] - m) * inv
            sums[first + c] += g * hat
            sums[second + c] += g
            plain += g * gamma[c]
            product += g * gamma[c] * hat
        plain = float32(plain * share) if centred else float32(0)
        product = float32(product * share)
        for c in range(units):
            gx[i + c] = inv * (gy[i + c] * gamma[c] - plain - (x[i + c] - m) * inv * product)
