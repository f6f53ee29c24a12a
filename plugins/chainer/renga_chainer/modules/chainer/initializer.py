"""``chainer.initializer``."""

from __future__ import annotations

import math

from renga_nn.initializers import Initializer

__all__ = ["Initializer", "get_fans"]


def get_fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the fan-in and fan-out of a layer whose weights have this shape, ``(out, in, *window)``.

    Raises:
        ValueError: The shape is not a tuple, or has fewer than two axes.
    """
    if not isinstance(shape, tuple):
        raise ValueError(f"shape must be tuple. Actual type: {type(shape)}")
    if len(shape) < 2:
        raise ValueError(f"shape must be of length >= 2. Actual shape: {shape}")
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window
