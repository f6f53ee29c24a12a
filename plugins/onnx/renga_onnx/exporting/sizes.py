"""Sizes that depend on named axes, such as the batch: found by running the network for two sizes of each."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["FACTORS", "Axis", "Size", "size_of"]

FACTORS = (2, 3, 5, 7, 11, 13)
"""How many times as large each named axis is in the second run. A size is then told apart by its prime factors."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A named axis of an input.

    Attributes:
        name: Its name.
        input: Name of the input that has it.
        position: Which axis of the input it is.
        first, second: Its size in the two runs.
    """

    name: str
    input: str
    position: int
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Size:
    """``factor`` times the product of `axes`, plus `offset`. Without axes: `offset`."""

    axes: tuple[Axis, ...]
    factor: Fraction
    offset: int


def size_of(first: int, second: int, axes: tuple[Axis, ...]) -> Size | None:
    """The simplest size that is `first` in the first run, and `second` in the second; None if none of these is."""
    if first == second:
        return Size((), Fraction(0), first)
    for count in range(1, len(axes) + 1):
        for chosen in itertools.combinations(axes, count):
            before = after = 1
            for axis in chosen:
                before, after = before * axis.first, after * axis.second
            if before and first * after == second * before:
                return Size(chosen, Fraction(first, before), 0)
    for axis in axes:
        if first - axis.first == second - axis.second:
            return Size((axis,), Fraction(1), first - axis.first)
    return None
