"""Compares two outputs line by line: words must be equal, numbers up to rounding."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import zip_longest

__all__ = ["Comparison", "compare"]

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf|nan)(?![\w])")
RELATIVE = 5e-5
"""Allowed relative difference of numbers: the rounding error of float32 is 6e-8, and it grows over some tens of steps.
Renga on two processors, one with AVX-512 and one without, differs from itself by up to 2.4e-5."""
SMALL = 0.05
"""Smaller numbers are compared as if they had this size: sums that cancel are as accurate as their terms."""


@dataclass(frozen=True)
class Comparison:
    """Differences of two outputs.

    Attributes:
        lines: Number of lines in the longer one.
        equal: Number of equal lines, up to rounding.
        largest: Largest relative difference of numbers in equal lines.
        first: The first pair of different lines; None if all are equal.
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
    """Compare two outputs; numbers may differ by `relative` times the expected one."""
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
    """Largest relative difference of numbers in a line; None if the lines differ."""
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
    """Return the text between the numbers, without spaces, because they pad tables."""
    return ["".join(part.split()) for part in NUMBER.split(line)]
