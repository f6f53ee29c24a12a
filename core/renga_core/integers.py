"""Sizes and axes in the forms that users write them."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import SupportsIndex

__all__ = ["as_ints"]


def as_ints(given: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Return an integer or several as a tuple of Python integers. NumPy's integers and 0-d arrays count as integers.

    Raises:
        TypeError: The argument is neither.

    >>> import numpy as np
    >>> as_ints(np.int32(3)), as_ints(np.array(3)), as_ints([2, np.int64(3)]), as_ints(np.array([2, 3]))
    ((3,), (3,), (2, 3), (2, 3))
    """
    try:
        return (int(index(given)),)  # type: ignore[arg-type]  # what is none raises, an array with axes too
    except TypeError:
        if not isinstance(given, Iterable):
            raise
        return tuple([int(index(n)) for n in given])
