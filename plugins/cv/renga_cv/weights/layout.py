"""Files that are numbers one after another, float32: what lies where, a table says."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from renga_cv.weights.recipe import Host

__all__ = ["length", "split"]

Shapes = Iterable[tuple[str, tuple[int, ...]]]


def length(shapes: Shapes) -> int:
    """How many bytes the arrays take."""
    return 4 * sum(math.prod(shape) for _, shape in shapes)


def split(content: bytes | memoryview, shapes: Shapes) -> dict[str, Host]:
    """The arrays, by name. They are views of `content`.

    Args:
        content: As many bytes as `length` says.
        shapes: Name and shape of each, in the order in which they lie.
    """
    numbers = np.frombuffer(content, "<f4")
    arrays, start = {}, 0
    for name, shape in shapes:
        size = math.prod(shape)
        arrays[name] = numbers[start : start + size].reshape(shape)
        start += size
    return arrays
