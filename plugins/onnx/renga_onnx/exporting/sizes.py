"""Sizes that depend on named axes, such as the batch, or on values: found by two runs with other sizes of each."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["FACTORS", "Axis", "DataAxes", "Size", "data_axes", "first_sizes", "second_sizes", "size_of"]

FACTORS = (2, 3, 5, 7, 11, 13)
"""How many times as large each named axis is in the second run. A size is then told apart by its prime factors."""


_MOST = 4
"""How many axes a size is the product of, at most: with many axes there would be too many products to try."""

DataAxes = Mapping[str, Sequence[tuple[int, int]]]
"""Sizes of a function's outputs that depend on values: for each a name, and the axes that have it, as output, axis."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis that may have any size: a named one of an input, or one whose size depends on values.

    Attributes:
        name: Its name.
        value: Name of the array that has it.
        position: Which axis of the array it is.
        first, second: Its size in the two runs.
    """

    name: str
    value: str
    position: int
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Size:
    """``factor`` times the product of `axes`, plus `offset`. Without axes: `offset`."""

    axes: tuple[Axis, ...]
    factor: Fraction
    offset: int


def data_axes(function: object) -> DataAxes:
    """Which sizes of a function's outputs depend on values: its attribute `data_axes`; usually there are none."""
    axes: DataAxes = getattr(function, "data_axes", {})
    return axes


def first_sizes() -> Iterator[int]:
    """Sizes, in the first run, of axes whose sizes depend on values; `second_sizes`: in the second run.

    They are primes from 7 on, and no two pairs have the same quotient or the same difference: so it can be told which
    axis another size follows from.
    """
    return (first for first, _ in _pairs())


def second_sizes() -> Iterator[int]:
    """See `first_sizes`."""
    return (second for _, second in _pairs())


def _pairs() -> Iterator[tuple[int, int]]:
    primes = (n for n in itertools.count(7) if all(n % d for d in range(2, n)))
    difference = 0
    for first in primes:
        second = next(n for n in itertools.count(first + difference + 1) if all(n % d for d in range(2, n)))
        difference = second - first
        yield first, second


def size_of(first: int, second: int, axes: tuple[Axis, ...]) -> Size | None:
    """The simplest size that is `first` in the first run, and `second` in the second; None if none of these is."""
    if first == second:
        return Size((), Fraction(0), first)
    for count in range(1, min(len(axes), _MOST) + 1):
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
