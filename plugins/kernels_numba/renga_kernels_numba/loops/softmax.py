"""Softmax, its logarithm and cross entropy, of matrices ``(rows, classes)``: each row is read from memory once."""

from __future__ import annotations

import math

import numpy as np

from renga_kernels_numba.loops.intrinsics import Float, Floats, Longs, inline, loop, sum_loop
from renga_kernels_numba.loops.mathematics import exp
from renga_kernels_numba.loops.rows_of_scores import largest_of, sum_of_products

__all__ = [
    "cross_entropy",
    "cross_entropy_gradient",
    "log_softmax",
    "log_softmax_gradient",
    "softmax",
    "softmax_gradient",
]

_ZERO = np.float32(0)
_BLOCK = 1024
"""Elements that are added up before their sum joins that of the row. Otherwise each of the processor's partial sums of
a row of 40,000 grows over a thousand elements, and rounds the later ones: errors of 7e-6 with vectors of eight."""


@sum_loop
def _exponentials_of_block(x: Floats, y: Floats, start: int, stop: int, shift: Float) -> Float:
    total = _ZERO
    for i in range(start, stop):
        e = exp(x[i] - shift)
        y[i] = e
        total += e
    return total


@inline
def _exponentials(x: Floats, y: Floats, start: int, stop: int, shift: Float) -> Float:
    """y = exp(x - shift), and the sum of these."""
    total = _ZERO
    for begin in range(start, stop, _BLOCK):
        total += _exponentials_of_block(x, y, begin, min(stop, begin + _BLOCK), shift)
    return total


@sum_loop
def _sum_of_exponentials_of_block(x: Floats, start: int, stop: int, shift: Float) -> Float:
    total = _ZERO
    for i in range(start, stop):
        total += exp(x[i] - shift)
    return total


@inline
def _sum_of_exponentials(x: Floats, start: int, stop: int, shift: Float) -> Float:
    total = _ZERO
    for begin in range(start, stop, _BLOCK):
        total += _sum_of_exponentials_of_block(x, begin, min(stop, begin + _BLOCK), shift)
    return total


@sum_loop
def _sum_of_block(x: Floats, start: int, stop: int) -> Float:
    total = _ZERO
    for i in range(start, stop):
        total += x[i]
    return total


@inline
def _sum(x: Floats, start: int, stop: int) -> Float:
    total = _ZERO
    for begin in range(start, stop, _BLOCK):
        total += _sum_of_block(x, begin, min(stop, begin + _BLOCK))
    return total


@loop
def softmax(piece: int, x: Floats, y: Floats, rows: int, classes: int, rows_of_piece: int) -> None:
    """y = exp(x - m) / sum(exp(x - m)), with the largest score m."""
    for row in range(piece * rows_of_piece, min(rows, (piece + 1) * rows_of_piece)):
        start, stop = row * classes, (row + 1) * classes
        total = _exponentials(x, y, start, stop, largest_of(x, start, stop))
        factor = np.float32(1) / total
        for i in range(start, stop):
            y[i] *= factor


@loop
def softmax_gradient(
    piece: int, y: Floats, gy: Floats, gx: Floats, rows: int, classes: int, rows_of_piece: int
) -> None:
    """gx = y · (gy - sum(y · gy))."""
    for row in range(piece * rows_of_piece, min(rows, (piece + 1) * rows_of_piece)):
        start, stop = row * classes, (row + 1) * classes
        total = sum_of_products(y, gy, start, stop)
        for i in range(start, stop):
            gx[i] = y[i] * (gy[i] - total)


@loop
def log_softmax(piece: int, x: Floats, y: Floats, rows: int, classes: int, rows_of_piece: int) -> None:
    """y = x - m - log(sum(exp(x - m))), with the largest score m."""
    for row in range(piece * rows_of_piece, min(rows, (piece + 1) * rows_of_piece)):
        start, stop = row * classes, (row + 1) * classes
        largest = largest_of(x, start, stop)
        logarithm = np.float32(math.log(_sum_of_exponentials(x, start, stop, largest)))
        for i in range(start, stop):
            y[i] = (x[i] - largest) - logarithm


@loop
def log_softmax_gradient(
    piece: int, y: Floats, gy: Floats, gx: Floats, rows: int, classes: int, rows_of_piece: int
) -> None:
    """gx = gy - exp(y) · sum(gy)."""
    for row in range(piece * rows_of_piece, min(rows, (piece + 1) * rows_of_piece)):
        start, stop = row * classes, (row + 1) * classes
        total = _sum(gy, start, stop)
        for i in range(start, stop):
            gx[i] = gy[i] - exp(y[i]) * total


@loop
def cross_entropy(
    piece: int,
    x: Floats,
    labels: Longs,
    weight: Floats,
    loss: Floats,
    scales: Floats,
    rows: int,
    classes: int,
    rows_of_piece: int,
) -> None:
    """loss = (log(sum(exp(x - m))) - (x[label] - m)) · weight, and 0 where the weight is 0, whatever the scores.

    For the gradient, `scales` ``(rows, 2)`` keeps m and 1 / sum(exp(x - m)). A label that is no class gives NaN.
    """
    for row in range(piece * rows_of_piece, min(rows, (piece + 1) * rows_of_piece)):
        start, stop = row * classes, (row + 1) * classes
        largest = largest_of(x, start, stop)
        total = _sum_of_exponentials(x, start, stop, largest)
        scales[2 * row] = largest
        scales[2 * row + 1] = np.float32(1) / total
        label = labels[row]
        if weight[row] == _ZERO:
            loss[row] = _ZERO
        elif 0 <= label < classes:
            loss[row] = (np.float32(math.log(total)) - (x[start + label] - largest)) * weight[row]
        else:
            loss[row] = np.float32(np.nan)


@loop
def cross_entropy_gradient(
    piece: int,
    x: Floats,
    labels: Longs,
    weight: Floats,
    scales: Floats,
    gx: Floats,
    rows: int,
    classes: int,
    rows_of_piece: int,
) -> None:
    """gx = (softmax(x) - onehot(label)) · weight."""
    for row in range(piece * rows_of_piece, min(rows, (piece + 1) * rows_of_piece)):
        start, stop = row * classes, (row + 1) * classes
        largest, factor = scales[2 * row], scales[2 * row + 1] * weight[row]
        for i in range(start, stop):
            gx[i] = exp(x[i] - largest) * factor
        label = labels[row]
        if 0 <= label < classes:
            gx[start + label] -= weight[row]
