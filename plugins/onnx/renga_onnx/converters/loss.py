"""Losses."""

from __future__ import annotations

import numpy as np

from renga_nn.functions.loss.mean_error import MeanAbsoluteError, MeanSquaredError
from renga_nn.functions.loss.softmax_cross_entropy import SoftmaxCrossEntropy
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS"]


def _mean_squared_error(call: Call) -> None:
    difference = call.op("Sub", call.inputs)
    call.reduce("Mean", call.op("Mul", [difference] * 2), range(call.x.ndim), False, call.outputs)


def _mean_absolute_error(call: Call) -> None:
    difference = call.op("Abs", [call.op("Sub", call.inputs)])
    call.reduce("Mean", difference, range(call.x.ndim), False, call.outputs)


def _softmax_cross_entropy(call: Call) -> None:
    function = call.function
    labels = call.array(function.labels, call.other.labels)
    if function.labels.dtype not in (np.int32, np.int64):
        labels = call.cast(labels, np.int64)
    ignored = {"ignore_index": function.ignore_label}
    weighted = [] if function.class_weight is None else [call.array(function.class_weight)]
    # ONNX's mean is divided by the sum of the weights, Renga's by a number of entries.
    each = call.op(
        "SoftmaxCrossEntropyLoss",
        [call.inputs[0], labels, *weighted],
        None if function.mean else call.outputs,
        reduction="none",
        **ignored,
    )
    if not function.mean:
        return
    total = call.reduce("Sum", each, range(function.labels.ndim), False)
    if function.normalize:
        kind = function.labels.dtype if function.labels.dtype in (np.int32, np.int64) else np.int64
        same = call.op("Equal", [labels, call.constant(function.ignore_label, kind)])
        counts = call.cast(call.op("Not", [same]), call.x.dtype)
        number = call.reduce("Sum", counts, range(function.labels.ndim), False)
        number = call.op("Max", [number, call.constant(1)])
    else:
        size = call.shape([max(1, call.x.shape[0])], [max(1, call.twin.inputs[0].shape[0])])
        number = call.cast(call.squeeze(size, [0]), call.x.dtype)
    call.op("Div", [total, number], call.outputs)


CONVERTERS = {
    MeanAbsoluteError: _mean_absolute_error,
    MeanSquaredError: _mean_squared_error,
    SoftmaxCrossEntropy: _softmax_cross_entropy,
}
