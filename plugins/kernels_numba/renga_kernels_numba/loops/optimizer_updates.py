"""Updates of all parameters of an optimizer, in one pass over memory. The formulas are those of the references."""

from __future__ import annotations

import math
from typing import Any

from numba import float32

from renga_kernels_numba.loops.intrinsics import Longs, exact, floats_at, loop
from renga_kernels_numba.loops.rows import each_row

__all__ = ["adam", "corrected_momentum_sgd", "momentum_sgd", "nesterov_ag", "rmsprop", "sgd"]


@loop
def sgd(piece: int, table: Longs, rows: int, rate: float) -> None:
    """θ ← θ − rate·g. Arrays of a row: θ, g."""
    each_row(piece, table, rows, 4, _sgd, (float32(rate),))


@exact
def _sgd(table: Longs, place: int, start: int, stop: int, numbers: Any) -> None:
    param, grad = floats_at(table[place]), floats_at(table[place + 1])
    (rate,) = numbers
    for i in range(start, stop):
        param[i] -= rate * grad[i]


@loop
def momentum_sgd(piece: int, table: Longs, rows: int, momentum: float, rate: float) -> None:
    """v ← momentum·v − rate·g; θ ← θ + v. Arrays of a row: θ, g, v."""
    each_row(piece, table, rows, 5, _momentum_sgd, (float32(momentum), float32(rate)))


@exact
def _momentum_sgd(table: Longs, place: int, start: int, stop: int, numbers: Any) -> None:
    param, grad, v = floats_at(table[place]), floats_at(table[place + 1]), floats_at(table[place + 2])
    momentum, rate = numbers
    for i in range(start, stop):
        v[i] = momentum * v[i] - rate * grad[i]
        param[i] += v[i]


@loop
def corrected_momentum_sgd(piece: int, table: Longs, rows: int, momentum: float, rate: float) -> None:
    """v ← momentum·v − g; θ ← θ + rate·v. Arrays of a row: θ, g, v."""
    each_row(piece, table, rows, 5, _corrected_momentum_sgd, (float32(momentum), float32(rate)))


@exact
def _corrected_momentum_sgd(table: Longs, place: int, start: int, stop: int, numbers: Any) -> None:
    param, grad, v = floats_at(table[place]), floats_at(table[place + 1]), floats_at(table[place + 2])
    momentum, rate = numbers
    for i in range(start, stop):
        v[i] = momentum * v[i] - grad[i]
        param[i] += rate * v[i]


@loop
def nesterov_ag(piece: int, table: Longs, rows: int, momentum: float, rate: float) -> None:
    """v ← momentum·v − rate·g; θ ← θ + momentum·v − rate·g. Arrays of a row: θ, g, v."""
    each_row(piece, table, rows, 5, _nesterov_ag, (float32(momentum), float32(rate)))


@exact
def _nesterov_ag(table: Longs, place: int, start: int, stop: int, numbers: Any) -> None:
    param, grad, v = floats_at(table[place]), floats_at(table[place + 1]), floats_at(table[place + 2])
    momentum, rate = numbers
    for i in range(start, stop):
        step = rate * grad[i]
        v[i] = momentum * v[i] - step
        param[i] = param[i] - step + momentum * v[i]


@loop
def rmsprop(piece: int, table: Longs, rows: int, alpha: float, eps: float, rate: float) -> None:
    """ms ← alpha·ms + (1−alpha)·g²; θ ← θ − rate·g / (√ms + eps). Arrays of a row: θ, g, ms."""
    each_row(piece, table, rows, 5, _rmsprop, (float32(alpha), float32(1 - alpha), float32(eps), float32(rate)))


@exact
def _rmsprop(table: Longs, place: int, start: int, stop: int, numbers: Any) -> None:
    param, grad, ms = floats_at(table[place]), floats_at(table[place + 1]), floats_at(table[place + 2])
    alpha, rest, eps, rate = numbers
    for i in range(start, stop):
        ms[i] = alpha * ms[i] + rest * grad[i] * grad[i]
        param[i] -= rate * grad[i] / (math.sqrt(ms[i]) + eps)


@loop
def adam(piece: int, table: Longs, rows: int, beta1: float, beta2: float, eps: float, rate: float, keep: float) -> None:
    """m ← beta1·m + (1−beta1)·g; v ← beta2·v + (1−beta2)·g²; θ ← keep·θ − rate·m / (√v + eps).

    Arrays of a row: θ, g, m, v.
    """
    numbers = (
        float32(beta1),
        float32(1 - beta1),
        float32(beta2),
        float32(1 - beta2),
        float32(eps),
        float32(rate),
        float32(keep),
    )
    each_row(piece, table, rows, 6, _adam, numbers)


@exact
def _adam(table: Longs, place: int, start: int, stop: int, numbers: Any) -> None:
    param, grad = floats_at(table[place]), floats_at(table[place + 1])
    mean, square = floats_at(table[place + 2]), floats_at(table[place + 3])
    beta1, rest1, beta2, rest2, eps, rate, keep = numbers
    for i in range(start, stop):
        g = grad[i]
        m = beta1 * mean[i] + rest1 * g
        v = beta2 * square[i] + rest2 * g * g
        mean[i] = m
        square[i] = v
        param[i] = keep * param[i] - m / (math.sqrt(v) + eps) * rate
