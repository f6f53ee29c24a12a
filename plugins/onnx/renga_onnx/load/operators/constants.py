"""Constants, ranges, casts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import affordable, dtype_of, ints, is_float, number, raw

__all__: list[str] = []


@operator("Constant")
def constant(
    *,
    value: Any = None,
    value_float: float | None = None,
    value_floats: list[float] | None = None,
    value_int: int | None = None,
    value_ints: list[int] | None = None,
) -> Any:
    """The constant in the file."""
    if value is not None:
        return value
    for given, dtype in ((value_float, np.float32), (value_floats, np.float32), (value_int, np.int64)):
        if given is not None:
            return np.array(given, dtype)
    return np.array(value_ints, np.int64)


@operator("ConstantOfShape", host=(0,))
def constant_of_shape(shape: Any, *, value: Any = None) -> Any:
    """An array with one value, on the host; float32 zeros by default."""
    made = np.zeros(1, np.float32) if value is None else value
    return np.full(affordable(ints(shape), made.dtype), made.reshape(-1)[0], made.dtype)


@operator("Range", host=(0, 1, 2))
def count(start: Any, limit: Any, delta: Any) -> Any:
    """Numbers from `start` to `limit` (excluded), on the host."""
    if number(delta) == 0:
        raise ValueError("the step must not be 0")
    (n,) = affordable([max(0, math.ceil((number(limit) - number(start)) / number(delta)))], np.int64)
    return (np.arange(n) * number(delta) + number(start)).astype(np.asarray(start).dtype)


@operator("EyeLike")
def eye_like(x: Any, *, dtype: int | None = None, k: int = 0) -> Any:
    """A matrix of the same shape with ones on diagonal `k`."""
    if x.ndim != 2:
        raise ValueError(f"an array of {x.ndim} axes is not a matrix")
    of = x.dtype if dtype is None else dtype_of(dtype)
    return get_array_module(x).eye(*x.shape, k=k, dtype=of)


@operator("Cast")
def cast(x: Any, *, to: int, saturate: int = 1, round_mode: str = "up") -> Any:
    """Cast to another dtype."""
    dtype = dtype_of(to)
    if is_float(x) and (dtype.kind == "f" or dtype.name == "bfloat16"):
        return F.cast(x, dtype)
    return raw(x).astype(dtype)


@operator("CastLike")
def cast_like(x: Any, like: Any, *, saturate: int = 1, round_mode: str = "up") -> Any:
    """Cast to the dtype of another value."""
    return F.cast(x, like.dtype) if is_float(x) and is_float(like) else raw(x).astype(like.dtype)
