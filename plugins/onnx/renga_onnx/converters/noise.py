"""Dropout, and random numbers drawn outside of functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import helper

from renga_nn.functions.noise.dropout import Dropout
from renga_nn.functions.noise.dropout_add import DropoutAdd
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS", "drawn"]


def _dropout(call: Call) -> None:
    _dropped(call, call.outputs)


def _dropout_add(call: Call) -> None:
    call.op("Add", [call.inputs[1], _dropped(call, None)], call.outputs)


def _dropped(call: Call, outputs: Sequence[str] | None) -> str:
    ratio, training = call.constant(call.function.ratio), call.constant(True, np.bool_)
    return call.op("Dropout", [call.inputs[0], ratio, training], outputs)


def drawn(call: Call) -> None:
    """Draw numbers from a uniform or normal distribution."""
    first, second = map(float, call.function.numbers)
    whole = call.function.kind == "integers"
    if call.function.kind != "normal" and call.function.kind != "standard_normal":
        op_type, numbers = "RandomUniform", {"low": first, "high": second}
    else:
        op_type, numbers = "RandomNormal", {"mean": first, "scale": second}
    kind = np.dtype(np.float64) if whole else call.y.dtype
    dtype, outputs = helper.np_dtype_to_tensor_dtype(kind), None if whole else call.outputs
    shape, there = call.y.shape, call.twin.outputs[0].shape
    if shape == there:
        y = call.op(op_type, [], outputs, shape=list(shape), dtype=dtype, **numbers)
    else:
        like = call.op("Expand", [call.constant(0, kind), call.shape(shape, there)])
        y = call.op(op_type + "Like", [like], outputs, dtype=dtype, **numbers)
    if whole:
        call.cast(call.op("Floor", [y]), call.y.dtype, call.outputs)


CONVERTERS = {Dropout: _dropout, DropoutAdd: _dropout_add}
