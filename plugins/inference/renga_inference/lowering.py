"""Maps functions to operations of kernels, and to steps that an engine can fuse."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from renga_core.graph import FunctionNode
from renga_core.graph.operators.arithmetic import Add, AddConstant, DivideByConstant, Multiply, MultiplyConstant
from renga_core.graph.operators.product import MatMul
from renga_inference.program import Program
from renga_nn.functions.activation.clipped_relu import ClippedReLU
from renga_nn.functions.activation.elu import ELU
from renga_nn.functions.activation.leaky_relu import LeakyReLU
from renga_nn.functions.activation.log_softmax import LogSoftmax
from renga_nn.functions.activation.relu import ReLU
from renga_nn.functions.activation.sigmoid import Sigmoid
from renga_nn.functions.activation.softmax import Softmax
from renga_nn.functions.activation.tanh import Tanh
from renga_nn.functions.connection.convolution import Convolution
from renga_nn.functions.connection.linear import Linear
from renga_nn.functions.normalization.batch_normalization import FixedBatchNormalization
from renga_nn.functions.normalization.layer_normalization import LayerNormalization
from renga_nn.functions.pooling.max_pooling import MaxPooling
from renga_nn.functions.pooling.window_sum import WindowSum

__all__ = ["FUSED_INTO", "is_operator", "operation_of", "operator_of", "weights_of"]

FUSED_INTO = (Convolution, Linear)
"""Functions that later steps can be fused into."""

_OPERATIONS: dict[type[FunctionNode], tuple[str, Callable[[Any], tuple[Any, ...]]]] = {
    Convolution: (
        "convolution",
        lambda f: (f.geometry.stride, f.geometry.pad, f.geometry.dilate, f.geometry.groups, f.out),
    ),
    FixedBatchNormalization: ("batch_normalization_fixed", lambda f: (f.eps, f.axes)),
    LayerNormalization: ("layer_normalization", lambda f: (f.eps,)),
    Linear: ("linear", lambda f: ()),
    LogSoftmax: ("log_softmax", lambda f: (f.axis,)),
    MatMul: ("matmul", lambda f: ()),
    MaxPooling: ("max_pooling", lambda f: (f.window,)),
    Softmax: ("softmax", lambda f: (f.axis,)),
    WindowSum: ("window_sum", lambda f: (f.window, f.scale)),
}

_OPERATORS: dict[type[FunctionNode], tuple[str, Callable[[Any], tuple[float, ...]]]] = {
    Add: ("add", lambda f: ()),
    AddConstant: ("affine", lambda f: (1.0, f.constant)),
    ClippedReLU: ("clip", lambda f: (0.0, f.z)),
    DivideByConstant: ("affine", lambda f: (_inverse(f.constant), 0.0)),
    ELU: ("elu", lambda f: (f.alpha,)),
    LeakyReLU: ("relu", lambda f: (f.slope,)),
    Multiply: ("multiply", lambda f: ()),
    MultiplyConstant: ("affine", lambda f: (f.constant, 0.0)),
    ReLU: ("relu", lambda f: (0.0,)),
    Sigmoid: ("sigmoid", lambda f: ()),
    Tanh: ("tanh", lambda f: ()),
}


def _inverse(number: float) -> float:
    return 1 / number if number else math.copysign(math.inf, number)


def operation_of(function: FunctionNode) -> tuple[str, tuple[Any, ...]] | None:
    """Return the name of a function's operation and its other arguments; None if engines do not support it."""
    found = _OPERATIONS.get(type(function))
    return found and (found[0], found[1](function))


def is_operator(function: FunctionNode) -> bool:
    """Whether engines may support the elementwise function; its numbers may depend on the batch."""
    return type(function) in _OPERATORS


def operator_of(function: FunctionNode) -> tuple[str, tuple[float, ...]] | None:
    """The elementwise operation of a function and its numbers; None if engines do not support it.

    ``add`` and ``multiply`` have a second operand; ``affine`` is ``a x + b``; ``clip`` has a floor and a ceiling;
    ``relu`` has a slope for negative values; ``elu`` its alpha; ``sigmoid`` and ``tanh`` have no numbers.
    """
    found = _OPERATORS.get(type(function))
    return found and (found[0], found[1](function))


def weights_of(program: Program) -> set[int]:
    """Return constants that only fusible layers read, as weights."""
    as_weights = Counter([step.inputs[1] for step in program.steps if isinstance(step.function, FUSED_INTO)])
    read = Counter([*[number for step in program.steps for number in step.reads], *program.outputs])
    return {number for number in as_weights if number in program.constants and read[number] == as_weights[number]}
