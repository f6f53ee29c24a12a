"""Two outputs of a program, line by line: words are equal, numbers to rounding."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import zip_longest

__all__ = ["Comparison", "compare"]

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf|nan)(?![\w])")
RELATIVE = 2e-5
"""How far numbers may be apart: float32 has 6e-8, and each of some tens of steps adds its own."""
SMALL = 0.05
"""Differences of smaller numbers count as if they were this large: sums that cancel are as exact as their terms."""


@dataclass(frozen=True)
class Comparison:
    """How two outputs differ.

    Attributes:
        lines: Number of lines, of the longer one.
        equal: How many are equal, to rounding.
        largest: The largest relative difference of numbers in lines that are equal.
        first: The first lines that are not equal, one from each; None if all are.
    """

    lines: int
    equal: int
    largest: float
    first: tuple[str, str] | None

    @property
    def same(self) -> bool:
        """Whether all lines are equal."""
        return self.first is None


def compare(expected: str, found: str, relative: float = RELATIVE) -> Comparison:
    """Compare two outputs; numbers may be apart by `relative` of the expected one."""
    pairs = list(zip_longest(expected.splitlines(), found.splitlines(), fillvalue="(no line)"))
    equal, largest, first = 0, 0.0, None
    for pair in pairs:
        difference = _difference(*pair, relative)
        if difference is None:
            first = first or pair
        else:
            equal, largest = equal + 1, max(largest, difference)
    return Comparison(len(pairs), equal, largest, first)


def _difference(expected: str, found: str, relative: float) -> float | None:
    """The largest relative difference of numbers in a line; None if the lines are not equal."""
    if _words(expected) != _words(found):
        return None
    largest = 0.0
    numbers = zip(NUMBER.findall(expected), NUMBER.findall(found), strict=True)
    for a, b in ((float(a), float(b)) for a, b in numbers):
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        apart = abs(a - b) / max(abs(a), SMALL)
        if not apart <= relative:
            return None
        largest = max(largest, apart)
    return largest


def _words(line: str) -> list[str]:
    """What is between the numbers, without spaces, which pad tables."""
    return ["".join(part.split()) for part in NUMBER.split(line)]
