"""Translates NumPy's indexes into those of the standard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["forward_slices", "is_basic", "is_mask", "require_inside", "split_key", "with_ellipsis"]


def is_mask(part: Any, shape: Sequence[int]) -> bool:
    """Whether it is a mask: an array of truth values with this shape."""
    return getattr(part, "dtype", None) == np.bool and tuple(part.shape) == tuple(shape)


def split_key(key: Any) -> tuple[Any, ...]:
    """Return an index as a tuple, with lists as arrays and NumPy integers as Python integers."""
    parts = key if isinstance(key, tuple) else (key,)
    return tuple([_part(part) for part in parts])


def _part(part: Any) -> Any:
    if isinstance(part, np.integer):
        return int(part)
    return np.asarray(part) if isinstance(part, (list, bool)) else part


def is_basic(parts: tuple[Any, ...]) -> bool:
    """Whether an index contains no arrays."""
    return all(part is None or part is Ellipsis or isinstance(part, (int, slice)) for part in parts)


def require_inside(parts: tuple[Any, ...], shape: tuple[int, ...]) -> None:
    """Raise IndexError as NumPy does; some libraries take the nearest element instead, or none."""
    named = [part for part in parts if part is not None]
    dots = named.index(Ellipsis) if Ellipsis in named else len(named)
    before, after = named[:dots], named[dots + 1 :]
    if len(before) + len(after) > len(shape):
        raise IndexError(f"an index with {len(before) + len(after)} parts for an array with {len(shape)} axes")
    pairs = [*zip(before, shape, strict=False), *zip(after, shape[len(shape) - len(after) :], strict=True)]
    for part, size in pairs:
        if not isinstance(part, slice) and not -size <= part < size:
            raise IndexError(f"index {part} is out of bounds for an axis of size {size} (shape {shape})")


def with_ellipsis(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Add an ellipsis if the index names fewer axes than there are; the standard requires it."""
    return parts if any(part is Ellipsis for part in parts) else (*parts, Ellipsis)


def forward_slices(parts: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """Return a basic index with positive steps only, and the axes of the result to reverse afterwards."""
    parts = with_ellipsis(parts)
    if not any(isinstance(part, slice) and part.step is not None and part.step < 0 for part in parts):
        return parts, ()
    dots = parts.index(Ellipsis)
    axis_of: list[int] = []  # the axis that each part indexes
    axis = 0
    for i, part in enumerate(parts):
        if i == dots:
            axis = len(shape) - sum(p is not None for p in parts[dots + 1 :])
        axis_of.append(axis)
        axis += part is not None and i != dots
    made, flipped = list(parts), []
    for i, part in enumerate(parts):
        if isinstance(part, slice) and part.step is not None and part.step < 0:
            places = range(*part.indices(shape[axis_of[i]]))
            made[i] = slice(places[-1], places[0] + 1, -part.step) if len(places) else slice(0, 0)
            # Behind an ellipsis, which covers any number of axes, count from the end.
            if i < dots:
                flipped.append(sum(not isinstance(p, int) for p in parts[:i]))
            else:
                flipped.append(-sum(not isinstance(p, int) for p in parts[i:]))
    return tuple(made), tuple(flipped)
