"""Dropout with the numbers that NumPy's generator PCG64 would draw, computed at many places of its sequence at once.

The generator is a linear congruential one with 128 bits: ``state ← a·state + c``, so the state after any number of
steps is known without those between (Brown, Random Number Generation with Arbitrary Strides, 1994). Each step gives 64
bits by the permutation XSL-RR, of which the lower 32 are used first (O'Neill, PCG: A Family of Simple Fast
Space-Efficient Statistically Good Algorithms for Random Number Generation, 2014, section 6.3.3).
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

import numpy as np

from renga_kernels_numba.loops.intrinsics import Float, Floats, exact, inline, loop, multiply_high
from renga_kernels_numba.loops.pieces import DROPOUT_STEPS

__all__ = ["dropout", "dropout_add", "dropout_gradient"]

_A_HIGH = np.uint64(0x2360ED051FC65DA4)
_A_LOW = np.uint64(0x4385DF649FCCF645)
Bytes = MutableSequence[Any]


@inline
def _multiply_add(high: int, low: int, a_high: int, a_low: int, c_high: int, c_low: int) -> tuple[int, int]:
    """``a · x + c`` with 128 bits."""
    product = low * a_low
    upper = multiply_high(low, a_low) + high * a_low + low * a_high
    total = product + c_low
    return upper + c_high + (np.uint64(1) if total < product else np.uint64(0)), total


@inline
def _after(steps: int, high: int, low: int, c_high: int, c_low: int) -> tuple[int, int]:
    """The state after some steps."""
    a_high, a_low = _A_HIGH, _A_LOW
    left = np.uint64(steps)
    while left > np.uint64(0):
        if left & np.uint64(1):
            high, low = _multiply_add(high, low, a_high, a_low, c_high, c_low)
        c_high, c_low = _multiply_add(c_high, c_low, a_high, a_low, c_high, c_low)
        a_high, a_low = _multiply_add(a_high, a_low, a_high, a_low, np.uint64(0), np.uint64(0))
        left >>= np.uint64(1)
    return high, low


@inline
def _mark(mask: Bytes, place: int, high: int, low: int, threshold: int) -> None:
    """Two elements, from the 64 bits of a state."""
    mixed, turn = high ^ low, high >> np.uint64(58)
    number = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
    mask[place] = np.uint8(((number & np.uint64(0xFFFFFFFF)) >> np.uint64(8)) >= threshold)
    mask[place + 1] = np.uint8((number >> np.uint64(40)) >= threshold)


@inline
def _draw(piece: int, mask: Bytes, size: int, state: Any, first: int, threshold: int) -> tuple[int, int]:
    """mask = whether an element's 24 random bits are `threshold` or more, for a piece. Return where it begins and ends.

    Args:
        piece: Its number.
        mask: ``(size,)``, with room for 8 more.
        size: How many elements.
        state: Of the generator: state and increment, the upper half of each first.
        first: How many elements at the beginning have a mask already: 1 where half a number was left, else 0.
        threshold: A number.
    """
    limit = np.uint64(threshold)
    start = piece * DROPOUT_STEPS
    place = first + 2 * start
    c_high, c_low = state[2], state[3]
    # Four states a quarter of the piece apart, so that the processor need not wait for one product to begin the next.
    quarter = (min(2 * DROPOUT_STEPS, size - place) + 7) // 8
    high0, low0 = _after(start, state[0], state[1], c_high, c_low)
    high1, low1 = _after(quarter, high0, low0, c_high, c_low)
    high2, low2 = _after(quarter, high1, low1, c_high, c_low)
    high3, low3 = _after(quarter, high2, low2, c_high, c_low)
    for i in range(place, place + 2 * quarter, 2):
        high0, low0 = _multiply_add(high0, low0, _A_HIGH, _A_LOW, c_high, c_low)
        high1, low1 = _multiply_add(high1, low1, _A_HIGH, _A_LOW, c_high, c_low)
        high2, low2 = _multiply_add(high2, low2, _A_HIGH, _A_LOW, c_high, c_low)
        high3, low3 = _multiply_add(high3, low3, _A_HIGH, _A_LOW, c_high, c_low)
        _mark(mask, i, high0, low0, limit)
        _mark(mask, i + 2 * quarter, high1, low1, limit)
        _mark(mask, i + 4 * quarter, high2, low2, limit)
        _mark(mask, i + 6 * quarter, high3, low3, limit)
    return place if piece else 0, min(size, place + 2 * DROPOUT_STEPS)


@loop
def dropout(
    piece: int,
    x: Floats,
    y: Floats,
    mask: Bytes,
    size: int,
    state: Any,
    first: int,
    threshold: int,
    scale: float,
) -> None:
    """y = x · mask · scale, with a mask that is drawn: see `_draw`; all arrays ``(size,)``."""
    factor = np.float32(scale)
    start, stop = _draw(piece, mask, size, state, first, threshold)
    for i in range(start, stop):
        y[i] = x[i] * (np.float32(mask[i]) * factor)


@exact
def _added(x: Float, factor: Float, residual: Float) -> Float:
    return residual + x * factor


@loop
def dropout_add(
    piece: int,
    x: Floats,
    residual: Floats,
    y: Floats,
    mask: Bytes,
    size: int,
    state: Any,
    first: int,
    threshold: int,
    scale: float,
) -> None:
    """y = residual + x · mask · scale, rounded as if `dropout` and a sum were two loops."""
    factor = np.float32(scale)
    start, stop = _draw(piece, mask, size, state, first, threshold)
    for i in range(start, stop):
        y[i] = _added(x[i], np.float32(mask[i]) * factor, residual[i])


@loop
def dropout_gradient(piece: int, mask: Bytes, gy: Floats, gx: Floats, size: int, scale: float) -> None:
    """gx = gy · mask · scale."""
    factor = np.float32(scale)
    start = 2 * piece * DROPOUT_STEPS
    for i in range(start, min(size, start + 2 * DROPOUT_STEPS)):
        gx[i] = gy[i] * (np.float32(mask[i]) * factor)
