"""Conversions and checks of values for the operators' functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_core.graph import Variable, as_array

__all__ = [
    "DTYPES",
    "affordable",
    "axis_of",
    "dtype_of",
    "expanded",
    "filled",
    "flipped",
    "ints",
    "is_float",
    "nearest",
    "number",
    "raw",
    "same_as",
]

DTYPES: dict[int, Any] = {
    1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64,
    9: np.bool_, 10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64,
}  # fmt: skip
"""NumPy's dtypes by the numbers of `onnx.TensorProto.DataType`; bfloat16 is added if ml_dtypes is installed."""

try:
    import ml_dtypes
except ImportError:  # without it, arrays of bfloat16 cannot exist
    pass
else:
    DTYPES[16] = ml_dtypes.bfloat16


def dtype_of(to: int) -> np.dtype[Any]:
    """The dtype of one of ONNX's numbers.

    Raises:
        NotImplementedError: It is text, or a dtype of less than eight bits or of float8.
    """
    if to not in DTYPES:
        import onnx

        raise NotImplementedError(f"elements of type {onnx.TensorProto.DataType.Name(to)} are not supported")
    made: np.dtype[Any] = np.dtype(DTYPES[to])
    return made


def is_float(x: Any) -> bool:
    """Whether a value is floating: a Variable. All others are arrays."""
    return isinstance(x, Variable)


def raw(x: Any) -> Any:
    """The array of a value."""
    return as_array(x)


def ints(x: Any) -> tuple[int, ...]:
    """Return integers in a host array or a list as a tuple."""
    return tuple([int(n) for n in np.asarray(x).reshape(-1)])


_MOST_BYTES = 1 << 32
_MOST_GROWTH = 64


def affordable(shape: Sequence[int], dtype: Any = np.float32, of: int = 0) -> tuple[int, ...]:
    """Check a shape from a file before memory is allocated, and return it.

    Args:
        shape: The shape.
        dtype: Dtype of the elements.
        of: Number of elements of the operator's input.

    Raises:
        ValueError: A size is negative, or it would take more than 4 GiB and 64 times as many elements as `of`.
    """
    made = tuple([int(n) for n in shape])
    count = math.prod(made)
    if min(made, default=0) < 0:
        raise ValueError(f"there is no array of shape {made}")
    if count * np.dtype(dtype).itemsize > _MOST_BYTES and count > _MOST_GROWTH * of:
        raise ValueError(f"an array of shape {made} would take {count * np.dtype(dtype).itemsize:,} bytes")
    return made


def number(x: Any) -> Any:
    """The only element of a host array."""
    return np.asarray(x).reshape(-1)[0].item()


def axis_of(axis: int, ndim: int) -> int:
    """Convert an axis number that may count from the end to one that counts from the beginning.

    Raises:
        ValueError: There is no such axis.
    """
    if not -ndim <= axis < max(ndim, 1):
        raise ValueError(f"there is no axis {axis} among {ndim}")
    return axis % ndim if ndim else 0


def same_as(x: Any, value: Any) -> Any:
    """`value` as an array with the dtype and the library of `x`."""
    return get_array_module(x).asarray(value, dtype=x.dtype)


def filled(shape: Sequence[int], like: Any, value: float) -> Any:
    """An array of one value, with the dtype and the library of `like`."""
    return get_array_module(like).full(tuple(shape), value, dtype=like.dtype)


def expanded(x: Any, axis: int) -> Any:
    """x with an additional axis of size 1."""
    return x.reshape((*x.shape[:axis], 1, *x.shape[axis:]))


def flipped(x: Any, axis: int) -> Any:
    """x in reverse order along an axis."""
    n = x.shape[axis]
    return x[(*(slice(None),) * axis, n - 1 - get_array_module(x).arange(n))]


def nearest(x: Any) -> Any:
    """Round an array to the nearest integers, halves to the even one."""
    xp = get_array_module(x)
    y = xp.floor(x + 0.5)
    return xp.where((y - x == 0.5) & (y % 2 == 1), y - 1, y)
