"""Where arrays are: on the device that NCCL reads, or on the host."""

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
"""What ranks agree on beside shape and dtype, so that none calls NCCL while another one does not."""

Description = tuple[tuple[int, ...], str]
"""Shape and dtype."""


def is_on_device(array: Any) -> bool:
    """Whether NCCL can read an array; those of other libraries, and of the host, it cannot."""
    return array is not None and get_device_of(array).backend.name == "cupy"


def on_device(method: str, arrays: Sequence[Any]) -> bool:
    """Whether all arrays are on a device, or none.

    Raises:
        TypeError: Some are and some are not.
    """
    places = {is_on_device(array) for array in arrays}
    if len(places) > 1:
        raise TypeError(
            f"{method} was given arrays of the host and of a device together. Next: send all to one of them "
            "(get_device('cupy:0').send)"
        )
    return places == {True}


def describe(array: Any) -> Description:
    """What a receiver must know of an array."""
    return tuple(array.shape), array.dtype.str


def nbytes(about: Description) -> int:
    """How many bytes it has."""
    return math.prod(about[0]) * np.dtype(about[1]).itemsize


def contiguous(array: Any) -> Any:
    """An array without gaps, with one axis: the same memory where it is so."""
    import cupy

    return cupy.ascontiguousarray(array).reshape(-1)


def flat_bytes(array: Any) -> Any:
    """The same as bytes."""
    return contiguous(array).view(np.uint8)


def placed_like(given: Any, found: Any) -> Any:
    """A result where the argument was; where it is, if there was none."""
    return found if given is None else get_device_of(given).send(found)
