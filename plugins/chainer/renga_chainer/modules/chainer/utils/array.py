"""``chainer.utils.array``."""

from __future__ import annotations

from renga_chainer.utils import size_of_shape as size_of_shape
from renga_chainer.utils import sum_to as sum_to
from renga_core.backend import Array, get_array_module

__all__ = ["as_mat", "as_vec", "empty_like", "size_of_shape", "sum_to"]


def as_vec(x: Array) -> Array:
    """Return all elements in one axis: ``x.ravel()``."""
    return x if x.ndim == 1 else x.ravel()


def as_mat(x: Array) -> Array:
    """Merge all axes but the first: ``x.reshape(len(x), -1)``."""
    return x if x.ndim == 2 else x.reshape(len(x), -1)


def empty_like(x: Array) -> Array:
    """Return an uninitialized array of the same shape and dtype."""
    return get_array_module(x).empty_like(x)
