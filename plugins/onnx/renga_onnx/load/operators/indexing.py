"""Indexing."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import get_array_module, to_host
from renga_core.graph import Variable
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import affordable, axis_of, expanded, flipped, is_float, number, raw

__all__: list[str] = []


@operator("Gather")
def gather(x: Any, indices: Any, *, axis: int = 0) -> Any:
    """Select slices of an axis."""
    return x[(*(slice(None),) * axis_of(axis, x.ndim), indices)]


def _grid(indices: Any, axis: int) -> tuple[Any, ...]:
    """For each element of `indices`, return its index along `axis`, and its own position along the others."""
    xp, ndim = get_array_module(indices), indices.ndim
    places = [xp.arange(n).reshape([-1 if i == j else 1 for j in range(ndim)]) for i, n in enumerate(indices.shape)]
    places[axis] = indices
    return tuple(places)


@operator("GatherElements")
def gather_elements(x: Any, indices: Any, *, axis: int = 0) -> Any:
    """NumPy's ``take_along_axis``."""
    return x[_grid(indices, axis_of(axis, x.ndim))]


def _nd(indices: Any, batch_dims: int = 0) -> tuple[Any, ...]:
    """Return the indices in the last axis as a tuple, after those of the batch."""
    xp = get_array_module(indices)
    batch = indices.shape[:batch_dims]
    ndim = indices.ndim - 1
    own = [xp.arange(n).reshape([-1 if i == j else 1 for j in range(ndim)]) for i, n in enumerate(batch)]
    return (*own, *[indices[..., i] for i in range(indices.shape[-1])])


@operator("GatherND")
def gather_nd(x: Any, indices: Any, *, batch_dims: int = 0) -> Any:
    """Select slices at the positions in the last axis of `indices`."""
    return x[_nd(indices, batch_dims)]


@operator("ScatterElements")
def scatter_elements(x: Any, indices: Any, updates: Any, *, axis: int = 0, reduction: str = "none") -> Any:
    """Replace elements of x, with indices as in `gather_elements`."""
    return _scatter(x, _grid(indices, axis_of(axis, x.ndim)), updates, reduction)


@operator("ScatterND")
def scatter_nd(x: Any, indices: Any, updates: Any, *, reduction: str = "none") -> Any:
    """Replace slices of x, with indices as in `gather_nd`."""
    return _scatter(x, _nd(indices), updates, reduction)


def _scatter(x: Any, places: tuple[Any, ...], updates: Any, reduction: str) -> Any:
    if reduction == "none" and is_float(x):
        return _replaced(x, places, updates)
    if reduction == "add" and is_float(x):
        return F.scatter_add(x, places, updates)
    if isinstance(x, Variable) and (x.requires_grad or updates.requires_grad):
        raise NotImplementedError(f"the gradient of reduction {reduction!r} is not supported")
    y, host_places, new = to_host(x).copy(), tuple(map(to_host, places)), to_host(updates)
    if reduction == "none":
        y[host_places] = new
    else:
        combine = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[reduction]
        combine.at(y, host_places, new)
    return get_array_module(x).asarray(y)


def _replaced(x: Any, places: tuple[Any, ...], updates: Any) -> Any:
    """Replace elements; of several values for one place, the last applies. By lookup, so that it is differentiable."""
    numbers = np.full(x.shape, -1, np.int64)
    numbers[tuple(map(to_host, places))] = np.arange(updates.size).reshape(updates.shape)
    xp = get_array_module(x)
    spread = updates.reshape(-1)[xp.asarray(np.maximum(numbers, 0))] if updates.size else x
    return F.where(xp.asarray(numbers >= 0), spread, x)


@operator("Compress")
def compress(x: Any, condition: Any, *, axis: int | None = None) -> Any:
    """Select the slices of an axis where a condition is true; without an axis, elements of the flat array."""
    xp = get_array_module(x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    return x[(*(slice(None),) * axis_of(axis, x.ndim), xp.asarray(np.nonzero(to_host(condition))[0]))]


@operator("OneHot", host=(1,), fixed=(2,))
def one_hot(indices: Any, depth: Any, values: Any, *, axis: int = -1) -> Any:
    """One-hot encoding: ``values[1]`` at the positions `indices` along a new axis, else ``values[0]``."""
    at, xp = raw(indices), get_array_module(indices)
    size = int(number(depth))
    affordable([*at.shape, size], raw(values).dtype, at.size)
    axis = axis_of(axis, at.ndim + 1)
    numbers = xp.arange(size).reshape([-1 if i == axis else 1 for i in range(at.ndim + 1)])
    hot = expanded(xp.where(at < 0, at + size, at), axis) == numbers
    pair = raw(values)
    return xp.where(hot, pair[1], pair[0])


@operator("TopK", host=(1,))
def top_k(x: Any, k: Any, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> Any:
    """Return the k largest or smallest elements along an axis, sorted, and their indices; the first of equal ones."""
    array, xp = raw(x), get_array_module(x)
    axis, count = axis_of(axis, array.ndim), int(number(k))
    if not 0 <= count <= array.shape[axis]:
        raise ValueError(f"axis {axis} has fewer than {count} elements")
    if largest:  # sort the reversed array, so that the first of equal elements comes first
        n = array.shape[axis]
        order = n - 1 - flipped(xp.argsort(flipped(array, axis), axis=axis, kind="stable"), axis)
    else:
        order = xp.argsort(array, axis=axis, kind="stable")
    order = order[(*(slice(None),) * axis, slice(count))].astype(np.int64)
    return x[_grid(order, axis)], order


@operator("Unique")
def unique(x: Any, *, axis: int | None = None, sorted: int = 1) -> Any:
    """Unique elements, or slices of an axis, with first indices, inverse indices and counts. On the host."""
    array = to_host(x)
    y, first, inverse, counts = np.unique(array, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    inverse = inverse.reshape(-1)
    if not sorted:
        order = np.argsort(first)
        y = np.take(y, order, axis=axis or 0)
        first, counts, inverse = first[order], counts[order], np.argsort(order)[inverse]
    return y, first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)
