"""Finds sizes that depend on named axes, such as the batch, or on values, by two runs with different sizes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["FACTORS", "Axis", "DataAxes", "Size", "data_axes", "first_sizes", "second_sizes", "size_of"]

FACTORS = (2, 3, 5, 7, 11, 13)
"""Factor of each named axis in the second run. The prime factors of a size show which axes it contains."""


_MOST = 4
"""Largest number of axes in a product: more axes would give too many products to try."""

DataAxes = Mapping[str, Sequence[tuple[int, int]]]
"""Sizes of a function's outputs that depend on values: for each, a name and the axes (output, axis) that have it."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of variable size: a named axis of an input, or an axis whose size depends on values.

    Attributes:
        name: Its name.
        value: Name of the array that has it.
        position: Number of the axis in the array.
        first, second: Size in the two runs.
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
    """Return the attribute `data_axes` of a function: which sizes of its outputs depend on values; usually none."""
    axes: DataAxes = getattr(function, "data_axes", {})
    return axes


def first_sizes() -> Iterator[int]:
    """Sizes of data-dependent axes in the first run; `second_sizes`: in the second run.

    They are primes from 7 on, and no two pairs have the same quotient or difference. So another size tells which axis
    it depends on.
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
    """Return the simplest size that is `first` in the first run and `second` in the second; None if there is none."""
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
