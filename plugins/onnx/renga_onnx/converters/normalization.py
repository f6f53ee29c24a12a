"""Normalization."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_nn.functions.normalization.batch_normalization import BatchNormalization, FixedBatchNormalization
from renga_nn.functions.normalization.batch_normalization_relu import BatchNormalizationReLU
from renga_nn.functions.normalization.layer_normalization import LayerNormalization
from renga_nn.functions.normalization.local_response_normalization import LocalResponseNormalization
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS"]


def _fixed_batch_normalization(call: Call) -> None:
    x, gamma, beta, mean, var = call.inputs
    axes = call.function.axes
    if axes == (0, *range(2, call.x.ndim)) and len({str(each.dtype) for each in call.run.inputs}) == 1:
        call.op("BatchNormalization", [x, gamma, beta, mean, var], call.outputs, epsilon=call.function.eps)
        return
    gamma, beta, mean, var = (
        _along(call, name, array.dtype, axes)
        for name, array in zip((gamma, beta, mean, var), call.run.inputs[1:], strict=True)
    )
    _normalized(call, x, gamma, beta, mean, var, call.outputs)


def _along(call: Call, name: str, dtype: np.dtype[np.generic], axes: Sequence[int]) -> str:
    """Reshape values per channel for broadcasting to `x`, with axes of size 1."""
    cast = name if dtype == call.x.dtype else call.cast(name, call.x.dtype)
    return call.unsqueeze(cast, axes)


def _normalized(call: Call, x: str, gamma: str, beta: str, mean: str, var: str, outputs: Sequence[str] | None) -> str:
    """Return the name of the result: the one of `outputs`, or a new one."""
    deviation = call.op("Sqrt", [call.op("Add", [var, call.constant(call.function.eps)])])
    standard = call.op("Div", [call.op("Sub", [x, mean]), deviation])
    scaled = call.op("Mul", [standard, gamma])
    return call.op("Add", [scaled, beta], outputs)


def _statistics(call: Call, axes: Sequence[int]) -> tuple[str, str]:
    """Return mean and variance over axes, with these axes kept."""
    mean = call.reduce("Mean", call.inputs[0], axes, True)
    centred = call.op("Sub", [call.inputs[0], mean])
    return mean, call.reduce("Mean", call.op("Mul", [centred, centred]), axes, True)


def _batch_normalization(call: Call) -> None:
    _by_statistics_of_batch(call, call.outputs)


def _by_statistics_of_batch(call: Call, outputs: Sequence[str] | None) -> str:
    axes = call.function.axes
    gamma, beta = call.run.inputs[1:3]
    named = _along(call, call.inputs[1], gamma.dtype, axes), _along(call, call.inputs[2], beta.dtype, axes)
    return _normalized(call, call.inputs[0], *named, *_statistics(call, axes), outputs)


def _batch_normalization_relu(call: Call) -> None:
    y = _by_statistics_of_batch(call, None)
    for residual in call.inputs[3:]:
        y = call.op("Add", [y, residual])
    call.op("Relu", [y], call.outputs)


def _layer_normalization(call: Call) -> None:
    last = [call.x.ndim - 1]
    scale, shift = (
        name if array.dtype == call.x.dtype else call.cast(name, call.x.dtype)
        for name, array in zip(call.inputs[1:], call.run.inputs[1:], strict=True)
    )
    if call.opset >= 17:
        inputs = [call.inputs[0], scale, shift]
        call.op("LayerNormalization", inputs, call.outputs, axis=-1, epsilon=call.function.eps)
    else:
        _normalized(call, call.inputs[0], scale, shift, *_statistics(call, last), call.outputs)


def _local_response_normalization(call: Call) -> None:
    function = call.function
    size = function.n // 2 * 2 + 1
    # ONNX divides alpha by the number of channels in a sum.
    floats = {"alpha": function.alpha * size, "beta": function.beta, "bias": function.k}
    x, shape, there = call.inputs[0], call.x.shape, call.twin.inputs[0].shape
    if len(shape) != 4:  # onnxruntime supports images only
        flat, twin = ([*s[:2], 1, math.prod(s[2:])] for s in (shape, there))
        x = call.reshape(x, flat, twin)
    attributes: dict[str, Any] = {name: float(value) for name, value in floats.items()}
    y = call.op("LRN", [x], size=size, **attributes)
    call.reshape(y, shape, there, call.outputs)


CONVERTERS = {
    BatchNormalization: _batch_normalization,
    BatchNormalizationReLU: _batch_normalization_relu,
    FixedBatchNormalization: _fixed_batch_normalization,
    LayerNormalization: _layer_normalization,
    LocalResponseNormalization: _local_response_normalization,
}
