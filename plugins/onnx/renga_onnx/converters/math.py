"""Arithmetic, powers, elementary functions, extrema, reductions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from onnx import helper, numpy_helper

from renga_core.graph.operators import arithmetic, product, reduction
from renga_nn.functions.math import (
    cumulative,
    error_function,
    exponential,
    extremes,
    fourier,
    hyperbolic,
    linear_algebra,
    trigonometric,
)
from renga_nn.functions.math import reduction as reductions
from renga_nn.functions.math.argmax import ArgMax, ArgMin
from renga_nn.functions.math.arithmetic import LinearInterpolate
from renga_nn.functions.math.rounding import Ceil, Fix, Floor, FMod, Sign
from renga_nn.functions.math.square import BatchL2NormSquared, Square
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS", "simple"]


def simple(op_type: str) -> Callable[[Call], None]:
    """Return a converter to one operator without attributes."""

    def convert(call: Call) -> None:
        call.op(op_type, call.inputs, call.outputs)

    return convert


def binary(op_type: str) -> Callable[[Call], None]:
    """The same for two operands, cast to the dtype of the result as ONNX requires."""

    def convert(call: Call) -> None:
        dtype = call.y.dtype
        inputs = [
            name if x.dtype == dtype else call.cast(name, dtype)
            for name, x in zip(call.inputs, call.run.inputs, strict=True)
        ]
        call.op(op_type, inputs, call.outputs)

    return convert


def with_constant(op_type: str, constant_first: bool = False) -> Callable[[Call], None]:
    """The same for an operand and a constant number."""

    def convert(call: Call) -> None:
        dtype = call.y.dtype
        x = call.inputs[0] if call.x.dtype == dtype else call.cast(call.inputs[0], dtype)
        operands = [x, call.number(call.function.constant, call.other.constant, dtype)]
        call.op(op_type, operands[::-1] if constant_first else operands, call.outputs)

    return convert


def reduce(kind: str) -> Callable[[Call], None]:
    """Return a converter of a reduction over `axes`."""

    def convert(call: Call) -> None:
        call.reduce(kind, call.inputs[0], call.function.axes, call.function.keepdims, call.outputs)

    return convert


def _clip(call: Call) -> None:
    bounds = ["" if limit is None else call.constant(limit) for limit in (call.function.low, call.function.high)]
    call.op("Clip", [call.inputs[0], *bounds], call.outputs)


def _square(call: Call) -> None:
    call.op("Mul", [call.inputs[0]] * 2, call.outputs)


def _rsqrt(call: Call) -> None:
    call.op("Reciprocal", [call.op("Sqrt", call.inputs)], call.outputs)


def _expm1(call: Call) -> None:
    # 2 sinh(x / 2) exp(x / 2): accurate where exp(x) - 1 suffers cancellation.
    half = call.op("Mul", [call.inputs[0], call.constant(0.5)])
    doubled = call.op("Mul", [call.op("Sinh", [half]), call.constant(2)])
    call.op("Mul", [doubled, call.op("Exp", [half])], call.outputs)


def _log1p(call: Call) -> None:
    call.op("Log", [call.op("Add", [call.inputs[0], call.constant(1)])], call.outputs)


def _log_to_base(call: Call) -> None:
    call.op("Mul", [call.op("Log", call.inputs), call.constant(1 / call.function.log_of_base)], call.outputs)


def _interpolate(call: Call) -> None:
    p, x, y = call.inputs
    rest = call.op("Mul", [call.op("Sub", [call.constant(1), p]), y])
    call.op("Add", [call.op("Mul", [p, x]), rest], call.outputs)


def _arctan2(call: Call) -> None:
    y, x = call.inputs
    zero, pi = call.constant(0), call.constant(math.pi)
    left = call.op("Less", [x, zero])
    angle = call.op("Atan", [call.op("Div", [y, x])])
    turn = call.op("Where", [call.op("Less", [y, zero]), call.op("Neg", [pi]), pi])
    turned = call.op("Add", [angle, call.op("Where", [left, turn, zero])])
    nowhere = call.op("And", [call.op("Equal", [x, zero]), call.op("Equal", [y, zero])])
    call.op("Where", [nowhere, zero, turned], call.outputs)


def _fmod(call: Call) -> None:
    call.op("Mod", call.inputs, call.outputs, fmod=1)


def _cumsum(call: Call) -> None:
    call.op("CumSum", [call.inputs[0], call.constant(call.function.axis, np.int64)], call.outputs)


def _cumprod(call: Call) -> None:
    """Compute a cumulative product, one element of the axis at a time."""
    axis, kind = call.function.axis, helper.np_dtype_to_tensor_dtype(call.x.dtype)
    names = ("before", "x", "product", "y")
    before, x, product, y = (helper.make_tensor_value_info(name, kind, None) for name in names)
    nodes = [
        helper.make_node("Mul", ["before", "x"], ["product"]),
        helper.make_node("Identity", ["product"], ["y"]),
    ]
    body = helper.make_graph(nodes, "products", [before, x], [product, y])
    first = call.op("ReduceSum", [call.inputs[0], call.integers([axis])], keepdims=0)
    one = numpy_helper.from_array(np.ones(1, call.x.dtype))
    ones = call.op("ConstantOfShape", [call.op("Shape", [first])], value=one)
    last = call.fresh("Scan_out")
    axes = {"scan_input_axes": [axis], "scan_output_axes": [axis]}
    call.op("Scan", [ones, call.inputs[0]], [last, *call.outputs], body=body, num_scan_inputs=1, **axes)


def _transform(inverse: bool) -> Callable[[Call], None]:
    """Use ONNX's DFT (opset 17 or newer), otherwise products with two matrices."""

    def convert(call: Call) -> None:
        real, imaginary = call.inputs
        last = call.x.ndim - 1
        if call.opset < 17 or call.x.dtype == np.float16:
            angles = np.outer(*[np.arange(call.x.shape[last])] * 2) * (2 * math.pi / max(1, call.x.shape[last]))
            factor = 1 / max(1, call.x.shape[last]) if inverse else 1
            cosine, sine = (call.constant(f(angles) * factor) for f in (np.cos, np.sin))
            rc, rs, ic, js = (call.op("MatMul", [x, m]) for x in (real, imaginary) for m in (cosine, sine))
            signs = ("Sub", "Add") if inverse else ("Add", "Sub")
            call.op(signs[0], [rc, js], call.outputs[:1])
            call.op(signs[1], [ic, rs], call.outputs[1:])
            return
        # ONNX requires an axis before the transformed one; real and imaginary part are along the last axis.
        pair = call.op("Concat", [call.unsqueeze(x, [0, last + 2]) for x in call.inputs], axis=-1)
        more = {"axis": last + 1} if call.opset < 20 else {}
        axis = [] if call.opset < 20 else ["", call.constant(last + 1, np.int64)]
        y = call.op("DFT", [pair, *axis], inverse=int(inverse), **more)
        for part, output in enumerate(call.outputs):
            call.squeeze(call.op("Gather", [y, call.constant(part, np.int64)], axis=last + 2), [0], [output])

    return convert


def _squares(call: Call) -> None:
    squares = call.op("Mul", [call.inputs[0]] * 2)
    call.reduce("Sum", squares, range(1, call.x.ndim), False, call.outputs)


def _search(op_type: str) -> Callable[[Call], None]:
    """Return a converter to ArgMax or ArgMin; without an axis, over all elements."""

    def convert(call: Call) -> None:
        x, axis = call.inputs[0], call.function.axis
        if axis is None:
            x, axis = call.op("Reshape", [x, call.integers([-1])]), 0
        call.cast(call.op(op_type, [x], axis=axis, keepdims=0), np.int32, call.outputs)

    return convert


def _fix(call: Call) -> None:
    whole = call.op("Floor", [call.op("Abs", call.inputs)])
    call.op("Mul", [whole, call.op("Sign", call.inputs)], call.outputs)


CONVERTERS = {
    ArgMax: _search("ArgMax"),
    ArgMin: _search("ArgMin"),
    Floor: simple("Floor"),
    Ceil: simple("Ceil"),
    Fix: _fix,
    Sign: simple("Sign"),
    arithmetic.Add: binary("Add"),
    arithmetic.Subtract: binary("Sub"),
    arithmetic.Multiply: binary("Mul"),
    arithmetic.Divide: binary("Div"),
    arithmetic.Power: binary("Pow"),
    arithmetic.AddConstant: with_constant("Add"),
    arithmetic.MultiplyConstant: with_constant("Mul"),
    arithmetic.DivideByConstant: with_constant("Div"),
    arithmetic.DivideConstant: with_constant("Div", constant_first=True),
    arithmetic.PowerOfVariable: with_constant("Pow"),
    arithmetic.PowerOfConstant: with_constant("Pow", constant_first=True),
    arithmetic.Negative: simple("Neg"),
    arithmetic.Absolute: simple("Abs"),
    arithmetic.Log: simple("Log"),
    product.MatMul: binary("MatMul"),
    reduction.Sum: reduce("Sum"),
    reductions.Max: reduce("Max"),
    reductions.Min: reduce("Min"),
    reductions.LogSumExp: reduce("LogSumExp"),
    cumulative.Prod: reduce("Prod"),
    cumulative.CumProd: _cumprod,
    cumulative.CumSum: _cumsum,
    fourier.Fft: _transform(inverse=False),
    fourier.Ifft: _transform(inverse=True),
    extremes.Maximum: simple("Max"),
    extremes.Minimum: simple("Min"),
    extremes.Clip: _clip,
    Square: _square,
    BatchL2NormSquared: _squares,
    exponential.Exp: simple("Exp"),
    exponential.Expm1: _expm1,
    exponential.Log: simple("Log"),
    exponential.Log1p: _log1p,
    exponential.Log2: _log_to_base,
    exponential.Log10: _log_to_base,
    exponential.Sqrt: simple("Sqrt"),
    exponential.Rsqrt: _rsqrt,
    trigonometric.Sin: simple("Sin"),
    trigonometric.Cos: simple("Cos"),
    trigonometric.Tan: simple("Tan"),
    trigonometric.ArcSin: simple("Asin"),
    trigonometric.ArcCos: simple("Acos"),
    trigonometric.ArcTan: simple("Atan"),
    trigonometric.ArcTan2: _arctan2,
    hyperbolic.Sinh: simple("Sinh"),
    hyperbolic.Cosh: simple("Cosh"),
    hyperbolic.ArcTanh: simple("Atanh"),
    error_function.Erf: simple("Erf"),
    linear_algebra.Det: simple("Det"),
    LinearInterpolate: _interpolate,
    FMod: _fmod,
}
