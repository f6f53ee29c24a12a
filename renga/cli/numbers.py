"""Types of numbers on the command line, for argparse."""

from __future__ import annotations

import argparse
import math

__all__ = ["count", "number", "positive"]


def number(text: str) -> float:
    """Read a number of at least 0."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number of at least 0, got '{text}'")
    return found


def positive(text: str) -> float:
    """Read a number above 0."""
    found = number(text)
    if found == 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got '{text}'")
    return found


def count(text: str) -> int:
    """Read an integer of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected an integer of at least 1, got '{text}'")
    return int(text)
