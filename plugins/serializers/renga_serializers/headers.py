"""What a file says of an array, known before the array is read: one that does not fit need not be read at all.

Where an object has an array of the same shape and dtype already, that is what was to be expected; where it has none,
there is a limit (`renga_serializers.limits`).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

__all__ = ["HeadedArrays", "Header", "header_of"]


class Header(NamedTuple):
    """What is said of an array.

    Attributes:
        dtype, shape: Its own.
        packed: Bytes that it takes in the file.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    packed: int

    @property
    def nbytes(self) -> int:
        """Bytes that it will take in memory."""
        return math.prod(self.shape) * self.dtype.itemsize


class HeadedArrays(Mapping[str, np.ndarray[Any, Any]]):
    """The arrays of a file by path, of which each can be asked for its header first."""

    @abstractmethod
    def header(self, key: str) -> Header | None:
        """What the file says of an array; None where only reading it can tell. Raises KeyError, `FileRefused`."""


def header_of(arrays: Mapping[str, Any], key: str) -> Header | None:
    """The header of one of these arrays, if they have headers."""
    return arrays.header(key) if isinstance(arrays, HeadedArrays) else None
