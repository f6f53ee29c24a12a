"""Memory layouts of views: reshaped, transposed or sliced arrays."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from renga_compile.fused.statements import Operand, Spec, kept_axes
from renga_core.graph import FunctionNode
from renga_core.graph.operators.shape import GetItem, Reshape, Transpose

__all__ = [
    "VIEWS",
    "Layout",
    "in_order",
    "inserted",
    "lying",
    "reshaped",
    "taken",
    "transposed",
    "view_of",
    "view_text",
]

VIEWS = (Reshape, Transpose, GetItem)
"""Functions whose results share the memory of contiguous inputs."""


@dataclass(frozen=True)
class Layout:
    """Position of an array's elements in another array, its contiguous base.

    Attributes:
        base: Name of the base.
        shape: Of the array.
        steps: Stride of each axis, in elements of the base.
        offset: Position of the first element.
    """

    base: str
    shape: tuple[int, ...]
    steps: tuple[int, ...]
    offset: int = 0

    @property
    def is_in_order(self) -> bool:
        """Whether the layout is that of a contiguous array with this shape."""
        long = [axis for axis, length in enumerate(self.shape) if length != 1]
        ordered = _ordered(self.shape)
        return self.offset == 0 and all(self.steps[axis] == ordered[axis] for axis in long)

    def operand(self, shape: tuple[int, ...]) -> Operand:
        """Return the array as an operand of a statement with a result of this shape, to which it broadcasts."""
        axes = kept_axes(self.shape, shape)
        if self.is_in_order:
            return Operand(self.base, axes)
        missing = len(shape) - len(self.shape)
        steps = [0] * missing + [0 if n == 1 else step for n, step in zip(self.shape, self.steps, strict=True)]
        return Operand(self.base, axes, tuple([s for s, n in zip(steps, shape, strict=True) if n != 1]), self.offset)


def _ordered(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([prod(shape[axis + 1 :]) for axis in range(len(shape))])


def in_order(name: str, shape: tuple[int, ...]) -> Layout:
    """Return the layout of an array that is not a view."""
    return Layout(name, shape, _ordered(shape))


def lying(name: str, spec: Spec) -> Layout | None:
    """Return the layout of a non-contiguous array; None if loops cannot read it."""
    size = spec.dtype.itemsize
    if spec.strides is None or any(step < 0 or step % size for step in spec.strides):
        return None
    return Layout(name, spec.shape, tuple([step // size for step in spec.strides]))


def reshaped(x: Layout, shape: tuple[int, ...]) -> Layout | None:
    """Return the layout of ``x.reshape(shape)``; None if it may be a copy."""
    return Layout(x.base, shape, _ordered(shape)) if x.is_in_order else None


def transposed(x: Layout, axes: tuple[int, ...]) -> Layout:
    """Return the layout of ``x.transpose(axes)``."""
    return Layout(x.base, tuple([x.shape[a] for a in axes]), tuple([x.steps[a] for a in axes]), x.offset)


def taken(x: Layout, slices: Any) -> Layout | None:
    """Return the layout of ``x[slices]``; None if it is a copy."""
    if _items(slices, len(x.shape)) is None:
        return None
    memory = as_strided(np.empty(1, np.int8), x.shape, x.steps, writeable=False)
    found = memory[slices]
    if not isinstance(found, np.ndarray):
        found = memory[(*slices, ...)] if type(slices) is tuple else memory[slices, ...]
    place = found.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    return Layout(x.base, found.shape, found.strides, x.offset + place)


def view_of(function: FunctionNode, x: Layout, shape: tuple[int, ...]) -> Layout | None:
    """Return the layout of a function's output; None if it is not a view.

    Args:
        function: Any.
        x: Its input.
        shape: Of its output.
    """
    if type(function) is Reshape:
        return reshaped(x, shape)
    if type(function) is Transpose:
        return transposed(x, function.axes)
    return taken(x, function.slices) if type(function) is GetItem else None


def view_text(function: FunctionNode, name: str) -> str:
    """Return the expression that makes the view, as Python source with ``{}`` for the array.

    Args:
        function: A `Transpose` or `GetItem`.
        name: Its name in the program.
    """
    return f"{{}}.transpose({name}.axes)" if type(function) is Transpose else f"{{}}[{name}.slices]"


def inserted(x: Layout, slices: Any, shape: tuple[int, ...]) -> Operand | None:
    """Return zeros of `shape` whose ``[slices]`` are the array; None if slices have steps, or are arrays."""
    items = _items(slices, len(shape))
    if items is None:
        return None
    steps: list[int] = []
    bounds: list[tuple[int, int, int]] = []
    offset = x.offset
    axis = place = 0  # sizes of the zeros, and of the array
    for item in items:
        if item is None:
            place += 1
            continue
        length, step = shape[axis], 0
        if isinstance(item, slice):
            start, stop, stride = item.indices(length)
            if stride != 1:
                return None
            step = x.steps[place]
            place += 1
        else:
            start, stop = item % length, item % length + 1
        axis += 1
        if length != 1:
            if (start, stop) != (0, length):
                bounds.append((len(steps), start, stop))
            steps.append(step)
            offset -= start * step
    return Operand(x.base, (True,) * len(steps), tuple(steps), offset, tuple(bounds))


def _items(slices: Any, ndim: int) -> list[Any] | None:
    """Return the items of a basic index: one per axis, None for each new axis; None for another kind of index."""
    items = list(slices) if type(slices) is tuple else [slices]
    if not all(item is None or item is ... or type(item) in (int, slice) for item in items):
        return None
    rest = [slice(None)] * (ndim - sum([item is not None and item is not ... for item in items]))
    if ... in items:
        at = items.index(...)
        return [*items[:at], *rest, *items[at + 1 :]]
    return [*items, *rest]
