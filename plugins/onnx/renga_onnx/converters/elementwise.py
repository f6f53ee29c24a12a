"""Converters of NumPy's elementwise functions: see `exporting.arrays`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_onnx.converters.math import simple
from renga_onnx.exporting.call import Call

__all__ = ["ELEMENTWISE", "operands"]


def operands(call: Call, dtype: Any = None) -> list[str]:
    """Cast the inputs to one dtype, by default the dtype in which NumPy computed."""
    dtype = call.function.common if dtype is None else dtype
    return [
        name if x.dtype == dtype else call.cast(name, dtype)
        for name, x in zip(call.inputs, call.run.inputs, strict=True)
    ]


def _arithmetic(op_type: str, truth: str = "") -> Callable[[Call], None]:
    """Compute in the dtype of the result; booleans use `truth`."""

    def convert(call: Call) -> None:
        kind = truth if truth and call.y.dtype.kind == "b" else op_type
        call.op(kind, operands(call, call.y.dtype), call.outputs)

    return convert


def _compared(op_type: str, negated: bool = False) -> Callable[[Call], None]:
    def convert(call: Call) -> None:
        common = np.dtype(np.int32) if call.function.common.kind == "b" and op_type != "Equal" else call.function.common
        y = call.op(op_type, operands(call, common), None if negated else call.outputs)
        if negated:
            call.op("Not", [y], call.outputs)

    return convert


def _of_truth(op_type: str) -> Callable[[Call], None]:
    def convert(call: Call) -> None:
        if call.y.dtype.kind != "b":
            if call.opset < 18:
                raise RengaError(
                    f"{call.function.label} ({call.run.where}) on integers needs opset 18.\n"
                    "Next: pass opset_version=18."
                )
            call.op("Bitwise" + op_type, operands(call, call.y.dtype), call.outputs)
        else:
            call.op(op_type, operands(call, np.dtype(bool)), call.outputs)

    return convert


def _floor_divide(call: Call) -> None:
    dtype = call.y.dtype
    x, y = operands(call, dtype)
    if dtype.kind == "f":
        call.op("Floor", [call.op("Div", [x, y])], call.outputs)
    else:  # ONNX rounds towards 0
        rest = call.op("Mod", [x, y])
        call.op("Div", [call.op("Sub", [x, rest]), y], call.outputs)


def _remainder(call: Call) -> None:
    dtype = call.y.dtype
    x, y = operands(call, dtype)
    if dtype.kind != "f":
        call.op("Mod", [x, y], call.outputs)
    else:
        whole = call.op("Floor", [call.op("Div", [x, y])])
        call.op("Sub", [x, call.op("Mul", [whole, y])], call.outputs)


def _is_finite(call: Call) -> None:
    call.op("Not", [call.op("Or", [call.op("IsNaN", call.inputs), call.op("IsInf", call.inputs)])], call.outputs)


def _clip(call: Call) -> None:
    bounds = getattr(call.function, "bounds", (True, True))
    x, *rest = operands(call, call.y.dtype)
    for op_type, given in zip(("Max", "Min"), bounds, strict=True):
        x = call.op(op_type, [x, rest.pop(0)]) if given else x
    call.op("Identity", [x], call.outputs)


def _where(call: Call) -> None:
    condition, *sides = call.inputs
    if call.x.dtype.kind != "b":
        condition = call.cast(condition, bool)
    both = [
        name if x.dtype == call.y.dtype else call.cast(name, call.y.dtype)
        for name, x in zip(sides, call.run.inputs[1:], strict=True)
    ]
    call.op("Where", [condition, *both], call.outputs)


def _log_to(base: float) -> Callable[[Call], None]:
    def convert(call: Call) -> None:
        (x,) = operands(call, call.y.dtype)
        call.op("Div", [call.op("Log", [x]), call.constant(np.log(base), call.y.dtype)], call.outputs)

    return convert


def _shifted(op_type: str, before: float, after: float) -> Callable[[Call], None]:
    """``op(x + before) + after``."""

    def convert(call: Call) -> None:
        (x,) = operands(call, call.y.dtype)
        y = call.op(op_type, [call.op("Add", [x, call.constant(before, call.y.dtype)]) if before else x])
        call.op("Add", [y, call.constant(after, call.y.dtype)], call.outputs)

    return convert


def _trunc(call: Call) -> None:
    (x,) = operands(call, call.y.dtype)
    call.op("Mul", [call.op("Floor", [call.op("Abs", [x])]), call.op("Sign", [x])], call.outputs)


def _square(call: Call) -> None:
    call.op("Mul", operands(call, call.y.dtype) * 2, call.outputs)


ELEMENTWISE: dict[str, Callable[[Call], None]] = {
    "add": _arithmetic("Add", "Or"),
    "subtract": _arithmetic("Sub"),
    "multiply": _arithmetic("Mul", "And"),
    "divide": _arithmetic("Div"),
    "power": _arithmetic("Pow"),
    "maximum": _arithmetic("Max", "Or"),
    "minimum": _arithmetic("Min", "And"),
    "matmul": _arithmetic("MatMul"),
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "positive": simple("Identity"),
    "square": _square,
    **{
        name: _arithmetic(op_type)
        for name, op_type in {
            "negative": "Neg",
            "absolute": "Abs",
            "sign": "Sign",
            "sqrt": "Sqrt",
            "exp": "Exp",
            "log": "Log",
            "sin": "Sin",
            "cos": "Cos",
            "tan": "Tan",
            "tanh": "Tanh",
            "floor": "Floor",
            "ceil": "Ceil",
            "rint": "Round",
            "reciprocal": "Reciprocal",
        }.items()
    },
    "trunc": _trunc,
    "expm1": _shifted("Exp", 0, -1),
    "log1p": _shifted("Log", 1, 0),
    "log2": _log_to(2),
    "log10": _log_to(10),
    "greater": _compared("Greater"),
    "greater_equal": _compared("GreaterOrEqual"),
    "less": _compared("Less"),
    "less_equal": _compared("LessOrEqual"),
    "equal": _compared("Equal"),
    "not_equal": _compared("Equal", negated=True),
    "logical_and": _of_truth("And"),
    "logical_or": _of_truth("Or"),
    "logical_xor": _of_truth("Xor"),
    "logical_not": _of_truth("Not"),
    "bitwise_and": _of_truth("And"),
    "bitwise_or": _of_truth("Or"),
    "invert": _of_truth("Not"),
    "isnan": simple("IsNaN"),
    "isinf": simple("IsInf"),
    "isfinite": _is_finite,
    "clip": _clip,
    "where": _where,
}
"""Converters by name."""
