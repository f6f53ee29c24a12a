"""Location of arrays: on NCCL's device, or on the host."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import get_device_of

__all__ = [
    "DEVICE",
    "Description",
    "contiguous",
    "describe",
    "flat_bytes",
    "is_on_device",
    "nbytes",
    "on_device",
    "placed_like",
]

DEVICE = "on a device"
"""What ranks compare besides shape and dtype, so that all call NCCL or none does."""

Description = tuple[tuple[int, ...], str]
"""Shape and dtype."""


def is_on_device(array: Any) -> bool:
    """Whether NCCL can read an array; not for host arrays and those of other libraries."""
    return array is not None and get_device_of(array).backend.name == "cupy"


def on_device(method: str, arrays: Sequence[Any]) -> bool:
    """Whether all arrays are on a device; False if none is.

    Raises:
        TypeError: Some are on a device and some are not.
    """
    places = {is_on_device(array) for array in arrays}
    if len(places) > 1:
        raise TypeError(
            f"{method} received arrays on the host and on a device. Next: send all to the same one "
            "(get_device('cupy:0').send)"
        )
    return places == {True}


def describe(array: Any) -> Description:
    """Describe an array for its receiver."""
    return tuple(array.shape), array.dtype.str


def nbytes(about: Description) -> int:
    """Return its size in bytes."""
    return math.prod(about[0]) * np.dtype(about[1]).itemsize


def contiguous(array: Any) -> Any:
    """Return the array in one axis without gaps; without a copy if possible."""
    import cupy

    return cupy.ascontiguousarray(array).reshape(-1)


def flat_bytes(array: Any) -> Any:
    """Return its memory as bytes."""
    return contiguous(array).view(np.uint8)


def placed_like(given: Any, found: Any) -> Any:
    """Move a result to the place of the argument; leave it if there was no argument."""
    return found if given is None else get_device_of(given).send(found)
