"""Converters of operations on plain arrays: see `exporting.arrays`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_onnx.converters.array import flip
from renga_onnx.converters.elementwise import ELEMENTWISE, operands
from renga_onnx.converters.indexing import put
from renga_onnx.converters.math import simple
from renga_onnx.converters.noise import drawn
from renga_onnx.converters.special import SPECIAL
from renga_onnx.exporting.arrays import ArrayOperation, Drawn
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS", "OPERATIONS"]


def _made(call: Call, y: str, dtype: Any) -> None:
    """Cast `y` to the dtype of NumPy's result, as the output."""
    if dtype == call.y.dtype:
        call.op("Identity", [y], call.outputs)
    else:
        call.cast(y, call.y.dtype, call.outputs)


def _reduced(kind: str) -> Callable[[Call], None]:
    def convert(call: Call) -> None:
        function, dtype = call.function, call.y.dtype
        # ONNX cannot reduce booleans: the maximum of 0 and 1 is the same as any.
        within = np.dtype(np.int32) if dtype.kind == "b" else dtype
        x = call.inputs[0] if call.x.dtype == within else call.cast(call.inputs[0], within)
        y = call.reduce(kind, x, function.axes, function.keepdims)
        if function.initial is not None:
            op_type = {"Max": "Max", "Min": "Min", "Sum": "Add", "Prod": "Mul"}[kind]
            y = call.op(op_type, [y, call.constant(function.initial, within)])
        _made(call, y, within)

    return convert


def _truth(kind: str) -> Callable[[Call], None]:
    def convert(call: Call) -> None:
        function = call.function
        truth = call.inputs[0] if call.x.dtype.kind == "b" else call.cast(call.inputs[0], bool)
        y = call.reduce(kind, call.cast(truth, np.int32), function.axes, function.keepdims)
        call.cast(y, bool, call.outputs)

    return convert


def _search(op_type: str) -> Callable[[Call], None]:
    def convert(call: Call) -> None:
        x, axis = call.inputs[0], call.function.axis
        if call.x.dtype.kind == "b":
            x = call.cast(x, np.int32)
        if axis is None:
            x, axis = call.op("Reshape", [x, call.integers([-1])]), 0
        _made(call, call.op(op_type, [x], axis=axis, keepdims=int(call.function.keepdims)), np.dtype(np.int64))

    return convert


def _sorted(output: int) -> Callable[[Call], None]:
    """Convert `sort` (0) or `argsort` (1) to TopK."""

    def convert(call: Call) -> None:
        axis = call.function.axis % call.x.ndim
        count = call.shape([call.x.shape[axis]], [call.twin.inputs[0].shape[axis]])
        names = [call.context.fresh("TopK_out") for _ in range(2)]
        names[output] = call.outputs[0]
        call.op("TopK", [call.inputs[0], count], names, axis=axis, largest=0, sorted=1)

    return convert


def _arange(call: Call) -> None:
    call.cast(call.numbers(call.y.size, call.twin.outputs[0].size), call.y.dtype, call.outputs)


def _cumsum(call: Call) -> None:
    x, axis = call.inputs[0], call.function.axis
    x = x if call.x.dtype == call.y.dtype else call.cast(x, call.y.dtype)
    if axis is None:
        x, axis = call.op("Reshape", [x, call.integers([-1])]), 0
    call.op("CumSum", [x, call.constant(axis, np.int64)], call.outputs)


def _reshape(call: Call) -> None:
    call.reshape(call.inputs[0], call.y.shape, call.twin.outputs[0].shape, call.outputs)


def _broadcast_to(call: Call) -> None:
    call.op("Expand", [call.inputs[0], call.shape(call.y.shape, call.twin.outputs[0].shape)], call.outputs)


def _transpose(call: Call) -> None:
    call.op("Transpose", call.inputs, call.outputs, perm=list(call.function.axes))


def _astype(call: Call) -> None:
    call.cast(call.inputs[0], call.y.dtype, call.outputs)


def _concatenate(call: Call) -> None:
    call.op("Concat", operands(call, call.y.dtype), call.outputs, axis=call.function.axis)


def _stack(call: Call) -> None:
    axis = call.function.axis
    parts = [call.unsqueeze(x, [axis]) for x in operands(call, call.y.dtype)]
    call.op("Concat", parts, call.outputs, axis=axis)


def _take(call: Call) -> None:
    call.op("Gather", call.inputs, call.outputs, axis=call.function.axis)


def _take_along(call: Call) -> None:
    call.op("GatherElements", call.inputs, call.outputs, axis=call.function.axis % call.x.ndim)


def _repeat(call: Call) -> None:
    x, axis, times = call.inputs[0], call.function.axis, call.function.repeats
    if axis is None or not isinstance(times, int):
        raise RengaError(
            f"{call.function.label} ({call.run.where}) can be exported only with an axis and one number of repeats.\n"
            "Next: give these, or use renga.functions.repeat."
        )
    axis %= call.x.ndim
    wide = call.unsqueeze(x, [axis + 1])
    sizes, there = ([*s[: axis + 1], times, *s[axis + 1 :]] for s in (call.x.shape, call.twin.inputs[0].shape))
    call.reshape(
        call.op("Expand", [wide, call.shape(sizes, there)]), call.y.shape, call.twin.outputs[0].shape, call.outputs
    )


OPERATIONS: dict[str, Callable[[Call], None]] = {
    **ELEMENTWISE,
    "sum": _reduced("Sum"),
    "prod": _reduced("Prod"),
    "max": _reduced("Max"),
    "min": _reduced("Min"),
    "mean": _reduced("Mean"),
    "all": _truth("Min"),
    "any": _truth("Max"),
    "argmax": _search("ArgMax"),
    "argmin": _search("ArgMin"),
    "sort": _sorted(0),
    "argsort": _sorted(1),
    "cumsum": _cumsum,
    "arange": _arange,
    "copy": simple("Identity"),
    "read": simple("Identity"),
    "flip": flip,
    "repeat": _repeat,
    "reshape": _reshape,
    "broadcast_to": _broadcast_to,
    "transpose": _transpose,
    "astype": _astype,
    "concatenate": _concatenate,
    "stack": _stack,
    "take": _take,
    "take_along_axis": _take_along,
    "put": put(""),
    "add_at": put("add"),
    **{f"special_{name}": convert for name, convert in SPECIAL.items()},
}
"""Converters by name."""

CONVERTERS = {
    **{ArrayOperation.named(name): convert for name, convert in OPERATIONS.items()},
    Drawn: drawn,
}
