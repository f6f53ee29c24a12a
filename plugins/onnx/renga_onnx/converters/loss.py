"""Losses."""

from __future__ import annotations

import numpy as np

from renga_nn.functions.loss.huber_loss import HuberLoss
from renga_nn.functions.loss.mean_error import MeanAbsoluteError, MeanSquaredError
from renga_nn.functions.loss.sigmoid_cross_entropy import IGNORED, SigmoidCrossEntropy
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
    # ONNX divides by the sum of the weights, Renga by the number of entries.
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
        sizes = max(1, call.x.shape[0]), max(1, call.twin.inputs[0].shape[0])
        number = call.number(*sizes, call.x.dtype)
    call.op("Div", [total, number], call.outputs)


def _sigmoid_cross_entropy(call: Call) -> None:
    function, x = call.function, call.inputs[0]
    answers = call.cast(call.array(function.answers, call.other.answers), call.x.dtype)
    counts = call.cast(call.op("Not", [call.op("Equal", [answers, call.constant(IGNORED)])]), call.x.dtype)
    right = call.cast(call.op("Equal", [answers, call.constant(1)]), call.x.dtype)
    each = call.op("Sub", [call.op("Softplus", [x]), call.op("Mul", [x, right])])
    if not function.mean:
        call.op("Mul", [each, counts], call.outputs)
        return
    total = call.reduce("Sum", call.op("Mul", [each, counts]), range(call.x.ndim), False)
    if function.normalize:
        number = call.op("Max", [call.reduce("Sum", counts, range(call.x.ndim), False), call.constant(1)])
    else:
        here, there = (max(1, x.shape[0] if x.ndim else 1) for x in (call.x, call.twin.inputs[0]))
        number = call.number(here, there, call.x.dtype)
    call.op("Div", [total, number], call.outputs)


def _huber_loss(call: Call) -> None:
    difference, delta = call.op("Sub", call.inputs), call.function.delta
    clipped = call.op("Clip", [difference, call.constant(-delta), call.constant(delta)])
    rest = call.op("Sub", [difference, call.op("Mul", [clipped, call.constant(0.5)])])
    call.op("Mul", [clipped, rest], call.outputs)


CONVERTERS = {
    HuberLoss: _huber_loss,
    SigmoidCrossEntropy: _sigmoid_cross_entropy,
    MeanAbsoluteError: _mean_absolute_error,
    MeanSquaredError: _mean_squared_error,
    SoftmaxCrossEntropy: _softmax_cross_entropy,
}
