"""Operations on lists of arrays: sums of squares, scaling, adding multiples; all stay on the device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from renga_core.backend import Array
from renga_core.kernel import ListOperation

__all__ = ["ADD_MULTIPLE", "SCALE", "SUMS_OF_SQUARES", "sum_of_squares"]


def sum_of_squares(array: Array) -> Array:
    """The sum of all squared elements, a 0-d array on the array's device.

    Half precision is summed in float32, because the square of 256 overflows in float16.
    """
    flat = array.reshape(-1).astype(np.promote_types(array.dtype, np.float32), copy=False)
    return flat @ flat


def _sums_of_squares(arrays: Sequence[Array], sums: Sequence[Array]) -> None:
    """Operation ``sums_of_squares``: the sum of squares of each array, shape (1,), float32 or float64."""
    for array, total in zip(arrays, sums, strict=True):
        total[...] = sum_of_squares(array)


SUMS_OF_SQUARES = ListOperation(
    "sums_of_squares", _sums_of_squares, lists=2, samples="renga_optimizers.example_arguments:sums_of_squares"
)


def _scale(arrays: Sequence[Array], factors: Sequence[Array]) -> None:
    """Operation ``scale``: multiply each array in place by a vector of shape (1,), float32 or float64."""
    for array, factor in zip(arrays, factors, strict=True):
        array *= factor[0]


SCALE = ListOperation("scale", _scale, lists=2, samples="renga_optimizers.example_arguments:scale")


def _add_multiple(arrays: Sequence[Array], others: Sequence[Array], rate: float) -> None:
    """Operation ``add_multiple``: ``array += rate * other``, in place, for each array."""
    for array, other in zip(arrays, others, strict=True):
        array += rate * other


ADD_MULTIPLE = ListOperation(
    "add_multiple", _add_multiple, lists=2, samples="renga_optimizers.example_arguments:add_multiple"
)
