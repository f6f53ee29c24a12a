"""Numbers on the command line."""

from __future__ import annotations

import argparse
import math

__all__ = ["count", "number", "positive"]


def number(text: str) -> float:
    """A number from 0 on."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number from 0 on, got '{text}'")
    return found


def positive(text: str) -> float:
    """A number above 0."""
    found = number(text)
    if found == 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got '{text}'")
    return found


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, got '{text}'")
    return int(text)
