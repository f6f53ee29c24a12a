"""Normalization of each row of a matrix ``(rows, units)``, with a scale and a shift for each row.

Rows may be long: sums of float32 are of 4096 numbers at most, and are added in float64.
"""

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
    var: Floats,
    inv_std: Floats,
    rows: int,
    units: int,
    size: int,
    eps: float,
) -> None:
    """``y = (x - mean) * inv_std * gamma + beta`` for `size` rows; all arrays but x and y are ``(rows,)``."""
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        first, stop = row * units, (row + 1) * units
        total, square = 0.0, 0.0
        for start in range(first, stop, 4096):
            part = float32(0)
            for i in range(start, min(start + 4096, stop)):
                part += x[i]
            total += part
        m = float32(total / units)
        for start in range(first, stop, 4096):
            part = float32(0)
            for i in range(start, min(start + 4096, stop)):
                part += (x[i] - m) * (x[i] - m)
            square += part
        inv = 1.0 / math.sqrt(square / units + eps)
        mean[row], var[row], inv_std[row] = m, square / units, inv
        scale, shift = float32(inv * gamma[row]), beta[row]
        for i in range(first, stop):
            y[i] = (x[i] - m) * scale + shift


@sum_loop
def backward(
    piece: int,
    x: Floats,
    gamma: Floats,
    mean: Floats,
    inv_std: Floats,
    gy: Floats,
    gx: Floats,
    ggamma: Floats,
    gbeta: Floats,
    rows: int,
    units: int,
    size: int,
) -> None:
    """The chain rule through `forward`."""
    for row in range(piece * size, min(rows, (piece + 1) * size)):
        first, stop = row * units, (row + 1) * units
        m, inv = mean[row], inv_std[row]
        total, product = 0.0, 0.0
        for start in range(first, stop, 4096):
            part, of_product = float32(0), float32(0)
            for i in range(start, min(start + 4096, stop)):
                part += gy[i]
                of_product += gy[i] * ((x[i] - m) * inv)
            total += part
            product += of_product
        ggamma[row], gbeta[row] = product, total
        scale, plain, slope = gamma[row] * inv, float32(total / units), float32(product / units * inv)
        for i in range(first, stop):
            gx[i] = scale * (gy[i] - plain - (x[i] - m) * slope)
