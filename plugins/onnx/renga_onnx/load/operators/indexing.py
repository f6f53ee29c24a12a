"""Elements by their places."""

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
    """Slices of an axis."""
    return x[(*(slice(None),) * axis_of(axis, x.ndim), indices)]


def _grid(indices: Any, axis: int) -> tuple[Any, ...]:
    """For each element of `indices`, the place that it names along `axis`, and its own place along the others."""
    xp, ndim = get_array_module(indices), indices.ndim
    places = [xp.arange(n).reshape([-1 if i == j else 1 for j in range(ndim)]) for i, n in enumerate(indices.shape)]
    places[axis] = indices
    return tuple(places)


@operator("GatherElements")
def gather_elements(x: Any, indices: Any, *, axis: int = 0) -> Any:
    """NumPy's ``take_along_axis``."""
    return x[_grid(indices, axis_of(axis, x.ndim))]


def _nd(indices: Any, batch_dims: int = 0) -> tuple[Any, ...]:
    """Indices in the last axis as a tuple, after those of the batch."""
    xp = get_array_module(indices)
    batch = indices.shape[:batch_dims]
    ndim = indices.ndim - 1
    own = [xp.arange(n).reshape([-1 if i == j else 1 for j in range(ndim)]) for i, n in enumerate(batch)]
    return (*own, *[indices[..., i] for i in range(indices.shape[-1])])


@operator("GatherND")
def gather_nd(x: Any, indices: Any, *, batch_dims: int = 0) -> Any:
    """Slices at the places that the last axis of `indices` tells."""
    return x[_nd(indices, batch_dims)]


@operator("ScatterElements")
def scatter_elements(x: Any, indices: Any, updates: Any, *, axis: int = 0, reduction: str = "none") -> Any:
    """x with elements replaced, as `gather_elements` reads them."""
    return _scatter(x, _grid(indices, axis_of(axis, x.ndim)), updates, reduction)


@operator("ScatterND")
def scatter_nd(x: Any, indices: Any, updates: Any, *, reduction: str = "none") -> Any:
    """x with slices replaced, as `gather_nd` reads them."""
    return _scatter(x, _nd(indices), updates, reduction)


def _scatter(x: Any, places: tuple[Any, ...], updates: Any, reduction: str) -> Any:
    if reduction == "none" and is_float(x):
        return _replaced(x, places, updates)
    if reduction == "add" and is_float(x):
        return F.scatter_add(x, places, updates)
    if isinstance(x, Variable) and (x.requires_grad or updates.requires_grad):
        raise NotImplementedError(f"reduction {reduction!r} has no gradient here")
    y, host_places, new = to_host(x).copy(), tuple(map(to_host, places)), to_host(updates)
    if reduction == "none":
        y[host_places] = new
    else:
        combine = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[reduction]
        combine.at(y, host_places, new)
    return get_array_module(x).asarray(y)


def _replaced(x: Any, places: tuple[Any, ...], updates: Any) -> Any:
    """Each element, or else the new one for its place, of several the last: looked up, so that gradients find them."""
    numbers = np.full(x.shape, -1, np.int64)
    numbers[tuple(map(to_host, places))] = np.arange(updates.size).reshape(updates.shape)
    xp = get_array_module(x)
    spread = updates.reshape(-1)[xp.asarray(np.maximum(numbers, 0))] if updates.size else x
    return F.where(xp.asarray(numbers >= 0), spread, x)


@operator("Compress")
def compress(x: Any, condition: Any, *, axis: int | None = None) -> Any:
    """The slices of an axis for which a condition holds; of all elements in a row without an axis."""
    xp = get_array_module(x)
    if axis is None:
        x, axis = x.reshape(-1), 0
    return x[(*(slice(None),) * axis_of(axis, x.ndim), xp.asarray(np.nonzero(to_host(condition))[0]))]


@operator("OneHot", host=(1,), fixed=(2,))
def one_hot(indices: Any, depth: Any, values: Any, *, axis: int = -1) -> Any:
    """``values[1]`` at the places that `indices` name along a new axis, else ``values[0]``."""
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
    """The k largest or smallest along an axis, in order, and where they were; of equal ones, the first."""
    array, xp = raw(x), get_array_module(x)
    axis, count = axis_of(axis, array.ndim), int(number(k))
    if not 0 <= count <= array.shape[axis]:
        raise ValueError(f"there are no {count} elements along axis {axis}")
    if largest:  # of equal ones the first: sorted from the end on, and read backwards
        n = array.shape[axis]
        order = n - 1 - flipped(xp.argsort(flipped(array, axis), axis=axis, kind="stable"), axis)
    else:
        order = xp.argsort(array, axis=axis, kind="stable")
    order = order[(*(slice(None),) * axis, slice(count))].astype(np.int64)
    return x[_grid(order, axis)], order


@operator("Unique")
def unique(x: Any, *, axis: int | None = None, sorted: int = 1) -> Any:
    """Each element, or slice of an axis, once: with the first place, the number of each, and how often. On the host."""
    array = to_host(x)
    y, first, inverse, counts = np.unique(array, return_index=True, return_inverse=True, return_counts=True, axis=axis)
    inverse = inverse.reshape(-1)
    if not sorted:
        order = np.argsort(first)
        y = np.take(y, order, axis=axis or 0)
        first, counts, inverse = first[order], counts[order], np.argsort(order)[inverse]
    return y, first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)
