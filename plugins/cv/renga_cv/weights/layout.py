"""Files that contain only float32 numbers; a table gives names and shapes of the arrays."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from renga_cv.weights.recipe import Host

__all__ = ["length", "split"]

Shapes = Iterable[tuple[str, tuple[int, ...]]]


def length(shapes: Shapes) -> int:
    """Number of bytes of the arrays."""
    return 4 * sum(math.prod(shape) for _, shape in shapes)


def split(content: bytes | memoryview, shapes: Shapes) -> dict[str, Host]:
    """The arrays, by name. They are views of `content`.

    Args:
        content: `length` bytes.
        shapes: Name and shape of each array, in the order of the file.
    """
    numbers = np.frombuffer(content, "<f4")
    arrays, start = {}, 0
    for name, shape in shapes:
        size = math.prod(shape)
        arrays[name] = numbers[start : start + size].reshape(shape)
        start += size
    return arrays
