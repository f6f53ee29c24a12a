"""``x[...]``: integers, slices, new axes, and arrays."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.errors import RengaError
from renga_onnx.exporting.call import Call

__all__ = ["END", "get_item"]

END = 2**63 - 1
"""What ONNX takes for the end of an axis, whatever its size; with a minus, for the beginning when going back."""


def get_item(call: Call) -> None:
    """Slices first; then integers and arrays; then new axes."""
    parts, twin = (_parts(each.slices, call.x.ndim) for each in (call.function, call.other))
    places = [part for part in parts if part is not None]
    x = _sliced(call, call.inputs[0], places, [part for part in twin if part is not None])
    if any(_is_array(part) for part in places):
        if None in [part if part is None else 0 for part in parts]:
            raise RengaError(
                f"GetItem ({call.run.where}): an index with both new axes and arrays is not exported.\n"
                "Next: index twice."
            )
        x = _gathered(call, x, places, [part for part in twin if part is not None])
    else:
        taken = [axis for axis, part in enumerate(places) if not isinstance(part, slice)]
        x = call.squeeze(x, taken) if taken else x
        kept = [part for part in parts if part is None or isinstance(part, slice)]
        new = [axis for axis, part in enumerate(kept) if part is None]
        x = call.unsqueeze(x, new) if new else x
    call.op("Identity", [x], call.outputs)


def _parts(slices: Any, ndim: int) -> list[Any]:
    """An index as one part for each axis, and None for each new one."""
    given = list(slices) if isinstance(slices, tuple) else [slices]
    parts: list[Any] = []
    for part in given:
        if _is_array(part) and (array := np.asarray(to_host(part) if hasattr(part, "dtype") else part)).dtype == bool:
            parts.extend(np.nonzero(array))
        else:
            parts.append(part)
    count = sum(part is not None and part is not Ellipsis for part in parts)
    rest = [slice(None)] * (ndim - count)
    at = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    return [*parts[:at], *rest, *parts[at + 1 :]]


def _is_array(part: Any) -> bool:
    return isinstance(part, list) or getattr(part, "ndim", 0) > 0 or (hasattr(part, "dtype") and part.dtype == bool)


def _sliced(call: Call, x: str, places: list[Any], twin: list[Any]) -> str:
    """Slices, and integers as slices of one element unless they go with arrays."""
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
    """Start, end and step."""
    if not isinstance(part, slice):
        at = index(part)
        return at, at + 1 if at != -1 else END, 1
    step = 1 if part.step is None else index(part.step)
    start = (0 if step > 0 else END) if part.start is None else index(part.start)
    return start, (END if step > 0 else -END) if part.stop is None else index(part.stop), step


def _gathered(call: Call, x: str, places: list[Any], twin: list[Any]) -> str:
    """Arrays, which broadcast against each other."""
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
