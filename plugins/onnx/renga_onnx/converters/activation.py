"""Activation functions."""

from __future__ import annotations

import math

from renga_nn.functions.activation.clipped_relu import ClippedReLU
from renga_nn.functions.activation.elu import ELU
from renga_nn.functions.activation.gelu import GELU, GELUTanh
from renga_nn.functions.activation.hard_sigmoid import HardSigmoid
from renga_nn.functions.activation.leaky_relu import LeakyReLU
from renga_nn.functions.activation.log_softmax import LogSoftmax
from renga_nn.functions.activation.prelu import PReLU
from renga_nn.functions.activation.relu import ReLU
from renga_nn.functions.activation.sigmoid import Sigmoid
from renga_nn.functions.activation.silu import SiLU
from renga_nn.functions.activation.softmax import Softmax
from renga_nn.functions.activation.softplus import Softplus
from renga_nn.functions.activation.tanh import Tanh
from renga_onnx.converters.math import simple
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS"]


def _clipped_relu(call: Call) -> None:
    call.op("Clip", [call.inputs[0], call.constant(0), call.constant(call.function.z)], call.outputs)


def _elu(call: Call) -> None:
    call.op("Elu", call.inputs, call.outputs, alpha=float(call.function.alpha))


def _gelu(call: Call) -> None:
    (x,) = call.inputs
    _halved_gate(call, x, call.op("Erf", [call.op("Mul", [x, call.constant(math.sqrt(0.5))])]))


def _gelu_tanh(call: Call) -> None:
    (x,) = call.inputs
    cube = call.op("Mul", [call.op("Mul", [x, x]), call.op("Mul", [x, call.constant(0.044715)])])
    inner = call.op("Mul", [call.op("Add", [x, cube]), call.constant(math.sqrt(2 / math.pi))])
    _halved_gate(call, x, call.op("Tanh", [inner]))


def _halved_gate(call: Call, x: str, gate: str) -> None:
    """``x (1 + gate) / 2``."""
    half = call.op("Mul", [x, call.constant(0.5)])
    call.op("Mul", [half, call.op("Add", [gate, call.constant(1)])], call.outputs)


def _silu(call: Call) -> None:
    (x,) = call.inputs
    call.op("Mul", [x, call.op("Sigmoid", [x])], call.outputs)


def _hard_sigmoid(call: Call) -> None:
    call.op("HardSigmoid", call.inputs, call.outputs, alpha=0.2, beta=0.5)


def _leaky_relu(call: Call) -> None:
    call.op("LeakyRelu", call.inputs, call.outputs, alpha=float(call.function.slope))


def _softmax(call: Call) -> None:
    call.op("Softmax", call.inputs, call.outputs, axis=call.function.axis)


def _log_softmax(call: Call) -> None:
    call.op("LogSoftmax", call.inputs, call.outputs, axis=call.function.axis)


def _softplus(call: Call) -> None:
    beta = call.function.beta
    if beta == 1:
        call.op("Softplus", call.inputs, call.outputs)
        return
    scaled = call.op("Mul", [call.inputs[0], call.constant(beta)])
    call.op("Div", [call.op("Softplus", [scaled]), call.constant(beta)], call.outputs)


CONVERTERS = {
    ClippedReLU: _clipped_relu,
    ELU: _elu,
    GELU: _gelu,
    GELUTanh: _gelu_tanh,
    HardSigmoid: _hard_sigmoid,
    LeakyReLU: _leaky_relu,
    LogSoftmax: _log_softmax,
    PReLU: simple("PRelu"),
    ReLU: simple("Relu"),
    Sigmoid: simple("Sigmoid"),
    SiLU: _silu,
    Softmax: _softmax,
    Softplus: _softplus,
    Tanh: simple("Tanh"),
}
