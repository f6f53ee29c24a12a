"""Examples that are contiguous in memory, so that a batch need not be copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["adjacent", "together"]

Host = np.ndarray[Any, Any]


class _Batch(np.ndarray[Any, Any]):
    """Memory for the examples of one batch, which nothing else uses."""


def adjacent(shape: tuple[int, ...], dtype: Any) -> Host:
    """Return an array whose rows are the examples of one batch. `concat_examples` uses it without a copy.

    After the call, nothing else may use its memory.

    Args:
        shape: The number of examples, and the shape of each.
        dtype: Dtype of the array.
    """
    return _Batch(shape, dtype).view(np.ndarray)


def together(arrays: Sequence[Any]) -> Host | None:
    """Return the batch if arrays are all rows of one that `adjacent` made, in order; otherwise None.

    Args:
        arrays: Arrays of one shape; also views with transposed axes.
    """
    first = arrays[0]
    # The base of a view of a view is the array that `adjacent` returned, the last one of NumPy's own type.
    batch = first.base if type(first) is np.ndarray else None
    if not isinstance(batch, np.ndarray) or not isinstance(batch.base, _Batch) or len(batch) != len(arrays):
        return None
    step = batch.strides[0]
    if first.nbytes != step:
        return None
    start = batch.__array_interface__["data"][0]
    for i, x in enumerate(arrays):
        if (
            getattr(x, "base", None) is not batch
            or x.strides != first.strides
            or x.dtype != first.dtype
            or x.__array_interface__["data"][0] != start + i * step
        ):
            return None
    return np.lib.stride_tricks.as_strided(first, (len(arrays), *first.shape), (step, *first.strides))
