"""What a file says of an array, known before the array is read: one that does not fit need not be read at all.

Compressed, an array of zeros takes a thousandth of the memory it is going to take. Where an object has an array of the
same shape and dtype already, that is what was to be expected; where it has none, there is a limit.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

__all__ = ["HeadedArrays", "Header", "excess", "header_of"]

_FREE = 1 << 26
_RATIO = 100


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


def excess(unpacked: int, packed: int, free: int = _FREE) -> str:
    """Why so many bytes should not come out of so few, unexpected; "" if they may, as `free` bytes always may."""
    if unpacked <= max(free, _RATIO * packed):
        return ""
    return f"takes {unpacked:,} bytes of memory, but {packed:,} in the file: {unpacked // max(packed, 1)} times as many"
