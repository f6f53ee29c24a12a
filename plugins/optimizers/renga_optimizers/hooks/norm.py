"""Operations for changing gradients by their norms, and adding multiples; all results stay on the device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.kernel import ListOperation, Operation

__all__ = ["ADD_MULTIPLE", "CLIPPING_RATE", "SCALE", "SUMS_OF_SQUARES", "sum_of_squares"]


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


def _clipping_rate(squares: Array, threshold: float) -> Array:
    """Operation ``clipping_rate``: the factor that reduces a norm to a threshold, 1 if it is not larger.

    Args:
        squares: Sums of squares, a vector of float32 or float64; the norm is the root of their sum.
        threshold: A Python number.

    Returns:
        A vector of shape (1,), of the dtype of `squares`; NaN if a sum is NaN.
    """
    xp = get_array_module(squares)
    least = max(threshold, float(np.finfo(np.float32).tiny))  # not min(1, threshold / norm): the norm can be 0
    return (threshold / xp.clip(xp.sqrt(squares.sum()), least, None)).reshape(1)


CLIPPING_RATE = Operation("clipping_rate", _clipping_rate, samples="renga_optimizers.example_arguments:clipping_rate")


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
