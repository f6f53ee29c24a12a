"""Exported functions of NumPy, with their arguments in one form.

Each is a name of an operation, its arrays, and its attributes; `converters.operations` converts them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["CALLS", "REDUCTIONS", "UFUNCS", "Normal"]

Normal = tuple[str, list[Any], dict[str, Any]]

_ARITHMETIC = (
    "add subtract multiply divide true_divide floor_divide remainder power negative positive absolute sign sqrt square "
    "exp expm1 log log1p log2 log10 sin cos tan tanh floor ceil trunc rint reciprocal maximum minimum matmul clip"
)
_TRUTH = (
    "greater greater_equal less less_equal equal not_equal logical_and logical_or logical_not logical_xor bitwise_and "
    "bitwise_or invert isnan isinf isfinite"
)

UFUNCS = frozenset(f"{_ARITHMETIC} {_TRUTH}".split())
"""Elementwise functions: all arguments are arrays or numbers."""


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple([a % ndim for a in (axis if isinstance(axis, tuple) else (axis,))])


def _reduction(name: str) -> Callable[..., Normal | None]:
    def normal(result: Any, x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, **more: Any) -> Any:
        initial = more.pop("initial", None)
        if any(value not in (None, np._NoValue, True) for value in more.values()):
            return None
        axes = _axes(axis, np.ndim(x))
        keepdims = keepdims is not np._NoValue and bool(keepdims)
        neutral = initial in (None, np._NoValue) or (initial == 0 and name == "sum")
        attributes = {"axes": axes, "keepdims": keepdims, "initial": None if neutral else initial}
        return name, [x], {**attributes, "dtype": np.asarray(result).dtype}

    return normal


REDUCTIONS = {
    ufunc: _reduction(name)
    for ufunc, name in {
        "add": "sum",
        "multiply": "prod",
        "maximum": "max",
        "minimum": "min",
        "logical_and": "all",
        "logical_or": "any",
    }.items()
}
"""Reductions, by the function of two elements."""


def _with(name: str, *names: str, **defaults: Any) -> Callable[..., Normal]:
    """A function of one array; its other arguments are attributes with these names."""

    def normal(result: Any, x: Any, *args: Any, **kwargs: Any) -> Normal:
        return name, [x], {**defaults, **dict(zip(names, args, strict=False)), **kwargs}

    return normal


def _transposed(order: Callable[..., Sequence[int]]) -> Callable[..., Normal]:
    def normal(result: Any, x: Any, *args: Any, **kwargs: Any) -> Normal:
        return "transpose", [x], {"axes": tuple(order(np.ndim(x), *args, **kwargs))}

    return normal


def _order(ndim: int, axes: Any = None) -> Sequence[int]:
    return list(range(ndim))[::-1] if axes is None else [a % ndim for a in axes]


def _swapped(ndim: int, axis1: int, axis2: int) -> Sequence[int]:
    order = list(range(ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return order


def _moved(ndim: int, source: Any, destination: Any) -> Sequence[int]:
    # NumPy computes the order of axes, on an array whose axes have different sizes.
    return [int(n) for n in np.moveaxis(np.empty(range(ndim)), source, destination).shape]


def _to_shape(result: Any, x: Any, *args: Any, **kwargs: Any) -> Normal:
    """Functions that change only the shape."""
    return "reshape", [x], {"shape": np.shape(result)}


def _joined(name: str) -> Callable[..., Normal | None]:
    def normal(result: Any, xs: Any, axis: Any = 0, **more: Any) -> Normal | None:
        if axis is None or more:
            return None
        return name, list(xs), {"axis": axis % np.ndim(result), "dtype": result.dtype}

    return normal


def _where(result: Any, condition: Any, *sides: Any) -> Normal | None:
    if len(sides) != 2:
        return None
    values = [x if isinstance(x, np.ndarray) else np.asarray(x, result.dtype) for x in sides]
    return "where", [condition, *values], {"dtype": result.dtype}


def _clip(result: Any, x: Any, low: Any = None, high: Any = None, **more: Any) -> Normal:
    bounds = [low if low is not None else more.get("min"), high if high is not None else more.get("max")]
    kept = [np.asanyarray(b, None if isinstance(b, np.ndarray) else result.dtype) for b in bounds if b is not None]
    return "clip", [x, *kept], {"bounds": tuple(b is not None for b in bounds)}


def _taken(result: Any, x: Any, indices: Any, axis: Any = None, **more: Any) -> Normal | None:
    return None if axis is None or more else ("take", [x, np.asanyarray(indices)], {"axis": axis % np.ndim(x)})


def _mean(result: Any, x: Any, axis: Any = None, **more: Any) -> Normal | None:
    return _reduction("mean")(result, x, axis=axis, **more)


CALLS: dict[str, Callable[..., Normal | None]] = {
    **{name: _reduction(name) for name in ("sum", "prod", "max", "min", "all", "any")},
    "amax": _reduction("max"),
    "amin": _reduction("min"),
    "mean": _mean,
    "argmax": _with("argmax", "axis", axis=None, keepdims=False),
    "argmin": _with("argmin", "axis", axis=None, keepdims=False),
    "argsort": _with("argsort", "axis", axis=-1),
    "sort": _with("sort", "axis", axis=-1),
    "cumsum": _with("cumsum", "axis", axis=None),
    "copy": _with("copy"),
    "flip": _with("flip", "axis", axis=None),
    "repeat": _with("repeat", "repeats", "axis", axis=None),
    "transpose": _transposed(_order),
    "swapaxes": _transposed(_swapped),
    "moveaxis": _transposed(_moved),
    "reshape": _to_shape,
    "ravel": _to_shape,
    "squeeze": _to_shape,
    "expand_dims": _to_shape,
    "broadcast_to": lambda result, x, *more, **kwargs: ("broadcast_to", [x], {"shape": np.shape(result)}),
    "concatenate": _joined("concatenate"),
    "stack": _joined("stack"),
    "where": _where,
    "clip": _clip,
    "take": _taken,
    "take_along_axis": lambda result, x, indices, axis=-1: ("take_along_axis", [x, indices], {"axis": axis}),
    "dot": lambda result, x, y: ("matmul", [x, y], {}) if np.ndim(x) and np.ndim(y) else None,
}
"""Functions by name."""
