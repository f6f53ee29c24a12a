"""``x[...]`` with integers, slices, new axes and arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.errors import RengaError
from renga_onnx.exporting.call import Call

__all__ = ["END", "added", "get_item", "get_item_gradient", "put", "selected"]

END = 2**63 - 1
"""ONNX's value for the end of an axis of any size; negated, for the beginning with a negative step."""


def get_item(call: Call) -> None:
    """The function `get_item`."""
    call.op("Identity", [selected(call, call.inputs[0], call.x.ndim)], call.outputs)


def selected(call: Call, x: str, ndim: int) -> str:
    """Select by the function's index, `slices`, from `x`: first slices, then integers and arrays, then new axes."""
    parts, twin = (_parts(each.slices, ndim) for each in (call.function, call.other))
    new = [axis for axis, part in enumerate(parts) if part is None]
    if new and any(_is_array(part) for part in parts):
        # Use existing axes of size 1 instead of new ones: their place is known.
        x = call.unsqueeze(x, new)
        parts, twin = ([slice(None) if part is None else part for part in each] for each in (parts, twin))
    places, there = ([part for part in each if part is not None] for each in (parts, twin))
    x = _sliced(call, x, places, there)
    if any(_is_array(part) for part in places):
        return _gathered(call, x, places, there)
    taken = [axis for axis, part in enumerate(places) if not isinstance(part, slice)]
    x = call.squeeze(x, taken) if taken else x
    kept = [part for part in parts if part is None or isinstance(part, slice)]
    new = [axis for axis, part in enumerate(kept) if part is None]
    return call.unsqueeze(x, new) if new else x


def put(reduction: str) -> Callable[[Call], None]:
    """Copy the first input and assign the second at an index; with "add", add it."""

    def convert(call: Call) -> None:
        target, values = call.inputs[:2]
        dtype = call.x.dtype
        if call.run.inputs[1].dtype != dtype:
            values = call.cast(values, dtype)
        shape, there = call.x.shape, call.twin.inputs[0].shape
        places, values = _flat_places(call, shape, there), _flat_values(call, values)
        flat = call.op("Reshape", [target, call.integers([-1])])
        if reduction:
            number = math.prod(shape), math.prod(there)
            y = call.op("Add", [flat, added(call, places, values, number, dtype)])
        else:
            y = call.op("ScatterElements", [flat, places, values], axis=0)
        call.reshape(y, shape, there, call.outputs)

    return convert


def get_item_gradient(call: Call) -> None:
    """Add the input at an index to zeros."""
    shape, there = call.function.shape, call.other.shape
    values = call.op("Reshape", [call.inputs[0], call.integers([-1])])
    places = _flat_places(call, shape, there)
    number = math.prod(shape), math.prod(there)
    call.reshape(added(call, places, values, number, call.x.dtype), shape, there, call.outputs)


def added(call: Call, places: str, values: str, number: tuple[int, int], dtype: Any) -> str:
    """Add `values` at `places` to a row of zeros, with its length in this run and in the other."""
    size = call.shape(number[:1], number[1:])
    if call.opset < 16:  # ScatterElements cannot add there; put each value into a row of its own, and add the rows
        rows = call.cast(call.op("Equal", [call.unsqueeze(places, [1]), call.numbers(*number)]), dtype)
        return call.squeeze(call.op("MatMul", [call.unsqueeze(values, [0]), rows]), [0])
    kind = np.dtype(np.float32) if dtype == np.float16 else dtype  # onnxruntime cannot add half precision
    values = values if kind == dtype else call.cast(values, kind)
    zeros = call.op("Expand", [call.constant(0, kind), size])
    y = call.op("ScatterElements", [zeros, places, values], axis=0, reduction="add")
    return y if kind == dtype else call.cast(y, dtype)


def _flat_places(call: Call, shape: Sequence[int], there: Sequence[int]) -> str:
    """Return the flat indices of the selected elements, in one axis."""
    whole = call.numbers(math.prod(shape), math.prod(there))
    places = selected(call, call.reshape(whole, shape, there), len(shape))
    return call.op("Reshape", [places, call.integers([-1])])


def _flat_values(call: Call, values: str) -> str:
    """Return the values for these elements, in one axis."""
    size = call.shape(call.function.selected, call.other.selected)
    return call.op("Reshape", [call.op("Expand", [values, size]), call.integers([-1])])


def _parts(slices: Any, ndim: int) -> list[Any]:
    """Return an index with one part per axis, and None for each new axis."""
    given = list(slices) if isinstance(slices, tuple) else [slices]
    parts: list[Any] = []
    for part in given:
        if isinstance(part, (bool, np.bool_)):
            if not part:
                raise RengaError("an index with False, which selects nothing, cannot be exported.\nNext: use x[:0].")
            parts.append(None)  # a new axis
        elif _is_array(part) and (array := np.asarray(to_host(part) if hasattr(part, "dtype") else part)).dtype == bool:
            parts.extend(np.nonzero(array))
        else:
            parts.append(part)
    count = sum(part is not None and part is not Ellipsis for part in parts)
    rest = [slice(None)] * (ndim - count)
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    return [*parts[:at], *rest, *parts[at + 1 :]]


def _is_array(part: Any) -> bool:
    """Whether it is an array to look up (also without axes), not a NumPy number."""
    return isinstance(part, (list, np.ndarray)) or getattr(part, "ndim", 0) > 0


def _sliced(call: Call, x: str, places: list[Any], twin: list[Any]) -> str:
    """Return slices; integers become slices of one element, unless used with arrays."""
    arrays = any(_is_array(part) for part in places)
    limits = []
    for axis, pair in enumerate(zip(places, twin, strict=True)):
        if _is_array(pair[0]) or (arrays and not isinstance(pair[0], slice)) or pair[0] == slice(None):
            continue
        limits.append((axis, *[_limits(part) for part in pair]))
    if not limits:
        return x
    axes, here, there = zip(*limits, strict=True)
    starts, ends, steps = (call.shape([limit[i] for limit in here], [limit[i] for limit in there]) for i in range(3))
    return call.op("Slice", [x, starts, ends, call.integers(axes), steps])


def _limits(part: Any) -> tuple[int, int, int]:
    """Return start, end and step."""
    if not isinstance(part, slice):
        at = index(part)
        return at, at + 1 if at != -1 else END, 1
    step = 1 if part.step is None else index(part.step)
    start = (0 if step > 0 else END) if part.start is None else index(part.start)
    return start, (END if step > 0 else -END) if part.stop is None else index(part.stop), step


def _gathered(call: Call, x: str, places: list[Any], twin: list[Any]) -> str:
    """Return the index arrays, broadcast against each other."""
    chosen = [axis for axis, part in enumerate(places) if not isinstance(part, slice)]
    names = [_indices(call, places[axis], twin[axis]) for axis in chosen]
    if len(chosen) == 1:
        return call.op("Gather", [x, names[0]], axis=chosen[0])
    shape = np.broadcast_shapes(*(np.shape(places[axis]) for axis in chosen))
    there = np.broadcast_shapes(*(np.shape(twin[axis]) for axis in chosen))
    size = call.shape(shape, there)
    columns = [call.unsqueeze(call.op("Expand", [name, size]), [len(shape)]) for name in names]
    indices = call.op("Concat", columns, axis=-1)
    rest = [axis for axis in range(len(places)) if axis not in chosen]
    if chosen != list(range(len(chosen))):
        x = call.op("Transpose", [x], perm=[*chosen, *rest])
    found = call.op("GatherND", [x, indices])
    if chosen[0] == 0 or chosen != list(range(chosen[0], chosen[-1] + 1)):
        return found
    before, width = chosen[0], len(shape)
    order = [*range(width, width + before), *range(width), *range(width + before, width + len(rest))]
    return call.op("Transpose", [found], perm=order)


def _indices(call: Call, part: Any, twin: Any) -> str:
    if not hasattr(part, "dtype"):
        part, twin = np.asarray(part, np.int64), np.asarray(twin, np.int64)
    name = call.array(part, twin)
    return name if part.dtype == np.int64 else call.cast(name, np.int64)
