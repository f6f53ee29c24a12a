"""Reductions along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import axis_of, expanded, filled, flipped, ints, is_float, number, raw

__all__: list[str] = []

Axes = tuple[int, ...]


def _axes(x: Any, axes: Any, noop_with_empty_axes: int) -> Axes | None:
    """Return the axes to reduce; None for no reduction."""
    given = () if axes is None else ints(axes)
    if given:
        return tuple([axis_of(axis, x.ndim) for axis in given])
    return None if noop_with_empty_axes else tuple(range(x.ndim))


def _reduction(
    name: str,
    of_floats: Callable[[Any, Axes, bool], Any],
    of_others: str = "",
    before: Callable[[Any], Any] = lambda x: x,
    after: Callable[[Any], Any] = lambda y: y,
) -> None:
    """Register an operator: apply `before`, reduce, apply `after`. Without axes, only `before` and `after` apply."""

    @operator(name, host=(1,))
    def compute(x: Any, axes: Any = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Any:
        chosen = _axes(x, axes, noop_with_empty_axes)
        x = before(x)
        if chosen is None or not (chosen or x.ndim):
            return after(x)
        if is_float(x):
            return after(of_floats(x, chosen, bool(keepdims)))
        return after(_of_others(x, of_others, chosen, bool(keepdims))).astype(x.dtype)


def _of_others(x: Any, name: str, axes: Axes, keepdims: bool) -> Any:
    """The same on integers and booleans. Maximum and minimum of no elements are the limits of the dtype."""
    if name in ("max", "min") and any(x.shape[axis] == 0 for axis in axes):
        limits = (False, True) if x.dtype.kind == "b" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
        return filled(_reduced(x.shape, axes, keepdims), x, limits[name == "min"])
    return getattr(x, name)(axis=axes, keepdims=keepdims)


def _reduced(shape: tuple[int, ...], axes: Axes, keepdims: bool) -> tuple[int, ...]:
    """Return the shape of the result."""
    return tuple([1 if axis in axes else n for axis, n in enumerate(shape) if keepdims or axis not in axes])


def _extreme(function: Callable[..., Any], worst: float) -> Callable[[Any, Axes, bool], Any]:
    def compute(x: Any, axes: Axes, keepdims: bool) -> Any:
        if any(x.shape[axis] == 0 for axis in axes):
            return filled(_reduced(x.shape, axes, keepdims), x, worst)
        return function(x, axis=axes, keepdims=keepdims)

    return compute


def _sum(x: Any, axes: Axes, keepdims: bool) -> Any:
    return F.sum(x, axis=axes, keepdims=keepdims)


def _log_sum_exp(x: Any, axes: Axes, keepdims: bool) -> Any:
    if any(x.shape[axis] == 0 for axis in axes):
        return F.log(_sum(x, axes, keepdims))
    y = F.logsumexp(x, axis=axes)
    return y.reshape([1 if axis in axes else n for axis, n in enumerate(x.shape)]) if keepdims else y


def _square(x: Any) -> Any:
    return x * x


def _root(x: Any) -> Any:
    return F.sqrt(x) if is_float(x) else get_array_module(x).sqrt(x)


def _log(x: Any) -> Any:
    return F.log(x) if is_float(x) else get_array_module(x).log(x)


def _mean(x: Any, axes: Axes, keepdims: bool) -> Any:
    return F.mean(x, axis=axes, keepdims=keepdims)


def _prod(x: Any, axes: Axes, keepdims: bool) -> Any:
    return F.prod(x, axis=axes, keepdims=keepdims)


_reduction("ReduceSum", _sum, "sum")
_reduction("ReduceMean", _mean, "mean")
_reduction("ReduceProd", _prod, "prod")
_reduction("ReduceSumSquare", _sum, "sum", before=_square)
_reduction("ReduceL1", _sum, "sum", before=abs)
_reduction("ReduceL2", _sum, "sum", before=_square, after=_root)
_reduction("ReduceLogSum", _sum, "sum", after=_log)
_reduction("ReduceLogSumExp", _log_sum_exp)
_reduction("ReduceMax", _extreme(F.max, -np.inf), "max")
_reduction("ReduceMin", _extreme(F.min, np.inf), "min")


def _arg(x: Any, name: str, axis: int, keepdims: int, select_last_index: int) -> Any:
    array, xp = raw(x), get_array_module(x)
    if select_last_index:
        found = array.shape[axis] - 1 - getattr(xp, name)(flipped(array, axis), axis=axis)
    else:
        found = getattr(xp, name)(array, axis=axis)
    return (expanded(xp.asarray(found), axis) if keepdims else xp.asarray(found)).astype(np.int64)


@operator("ArgMax")
def argmax(x: Any, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Any:
    """Index of the maximum along an axis: the first or the last one."""
    return _arg(x, "argmax", axis_of(axis, x.ndim), keepdims, select_last_index)


@operator("ArgMin")
def argmin(x: Any, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> Any:
    """Index of the minimum along an axis: the first or the last one."""
    return _arg(x, "argmin", axis_of(axis, x.ndim), keepdims, select_last_index)


@operator("CumSum", host=(1,))
def cumsum(x: Any, axis: Any, *, exclusive: int = 0, reverse: int = 0) -> Any:
    """Cumulative sum along an axis; without the element itself if `exclusive`, from the end if `reverse`."""
    along = axis_of(int(number(axis)), x.ndim)
    if reverse:
        x = flipped(x, along)
    y = F.cumsum(x, axis=along) if is_float(x) else get_array_module(x).cumsum(x, axis=along).astype(x.dtype)
    if exclusive:
        y = y - x
    return flipped(y, along) if reverse else y
