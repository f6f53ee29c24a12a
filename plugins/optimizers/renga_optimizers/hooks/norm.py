"""The sum of squares of an array."""

from __future__ import annotations

import numpy as np

from renga_core.backend import Array

__all__ = ["sum_of_squares"]


def sum_of_squares(array: Array) -> Array:
    """The sum of all squared elements, without axes, on the array's device.

    Half precision is summed in float32: the square of 256 is infinite in float16.
    """
    flat = array.reshape(-1).astype(np.promote_types(array.dtype, np.float32), copy=False)
    return flat @ flat
