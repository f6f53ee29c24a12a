"""Headers of arrays, known before the arrays are read: arrays that do not fit need not be read.

If the object has an array of the same shape and dtype, the stored array is expected. If the object has no array, there
is a limit (`renga_serializers.limits`).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

__all__ = ["HeadedArrays", "Header", "header_of"]


class Header(NamedTuple):
    """What a file says about an array.

    Attributes:
        dtype, shape: Dtype and shape of the array.
        packed: Its size in the file, in bytes.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    packed: int

    @property
    def nbytes(self) -> int:
        """Its size in memory, in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


class HeadedArrays(Mapping[str, np.ndarray[Any, Any]]):
    """The arrays of a file by path, whose headers can be read first."""

    @abstractmethod
    def header(self, key: str) -> Header | None:
        """The header of an array; None if it is known only after reading. Raises KeyError, `FileRefused`."""


def header_of(arrays: Mapping[str, Any], key: str) -> Header | None:
    """The header of one of these arrays, if they have headers."""
    return arrays.header(key) if isinstance(arrays, HeadedArrays) else None
