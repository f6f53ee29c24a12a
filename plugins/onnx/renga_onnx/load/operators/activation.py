"""Activations."""

from __future__ import annotations

import math
from typing import Any

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import axis_of, expanded, is_float, raw, same_as

__all__: list[str] = []


@operator("Relu")
def relu(x: Any) -> Any:
    """``max(x, 0)``."""
    return F.relu(x) if is_float(x) else get_array_module(x).maximum(x, 0)


@operator("Sigmoid")
def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))``."""
    return F.sigmoid(x)


@operator("Tanh")
def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
    return F.tanh(x)


@operator("LeakyRelu")
def leaky_relu(x: Any, *, alpha: float = 0.01) -> Any:
    """`alpha` times x where it is negative."""
    return F.leaky_relu(x, alpha)


@operator("PRelu")
def prelu(x: Any, slope: Any) -> Any:
    """`slope` times x, broadcast, where it is negative."""
    if is_float(x):
        return F.where(raw(x) < 0, x * slope, x)
    return get_array_module(x).where(x < 0, x * slope, x)


@operator("Elu")
def elu(x: Any, *, alpha: float = 1.0) -> Any:
    """``alpha (exp(x) - 1)`` where x is negative."""
    return F.elu(x, alpha)


@operator("Celu")
def celu(x: Any, *, alpha: float = 1.0) -> Any:
    """``alpha (exp(x / alpha) - 1)`` where x is negative."""
    return F.elu(x / alpha, 1.0) * alpha


@operator("Selu")
def selu(x: Any, *, alpha: float = 1.67326319217681884765625, gamma: float = 1.05070102214813232421875) -> Any:
    """`gamma` times an ELU."""
    return F.elu(x, alpha) * gamma


@operator("ThresholdedRelu")
def thresholded_relu(x: Any, *, alpha: float = 1.0) -> Any:
    """x where it is larger than `alpha`, else 0."""
    return F.where(raw(x) > alpha, x, same_as(x, 0))


@operator("HardSigmoid")
def hard_sigmoid(x: Any, *, alpha: float = 0.2, beta: float = 0.5) -> Any:
    """``alpha x + beta``, from 0 to 1."""
    return F.clip(x * alpha + beta, 0.0, 1.0)


@operator("HardSwish")
def hard_swish(x: Any) -> Any:
    """x times a hard sigmoid of slope 1/6."""
    return x * hard_sigmoid(x, alpha=1 / 6, beta=0.5)


@operator("Softplus")
def softplus(x: Any) -> Any:
    """``log(1 + exp(x))``."""
    return F.softplus(x)


@operator("Softsign")
def softsign(x: Any) -> Any:
    """``x / (1 + |x|)``."""
    return x / (1 + abs(x))


@operator("Mish")
def mish(x: Any) -> Any:
    """``x tanh(softplus(x))``."""
    return x * F.tanh(F.softplus(x))


@operator("Gelu")
def gelu(x: Any, *, approximate: str = "none") -> Any:
    """x times the cumulative distribution function of the normal distribution, or its ``"tanh"`` approximation."""
    if approximate == "tanh":
        return 0.5 * x * (1 + F.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1 + F.erf(x * math.sqrt(0.5)))


@operator("Shrink")
def shrink(x: Any, *, bias: float = 0.0, lambd: float = 0.5) -> Any:
    """Shrink x towards 0 by `bias`; 0 if ``|x|`` is at most `lambd`."""
    array = raw(x)
    low, high, zero = x + same_as(x, bias), x - same_as(x, bias), same_as(x, 0)
    if is_float(x):
        return F.where(array < -lambd, low, F.where(array > lambd, high, zero))
    xp = get_array_module(x)
    return xp.where(array < -lambd, low, xp.where(array > lambd, high, zero)).astype(x.dtype)


@operator("Softmax")
def softmax(x: Any, *, axis: int = -1) -> Any:
    """Softmax along an axis."""
    return F.softmax(x, axis=axis)


@operator("LogSoftmax")
def log_softmax(x: Any, *, axis: int = -1) -> Any:
    """Logarithm of the softmax."""
    return F.log_softmax(x, axis=axis)


@operator("Hardmax")
def hardmax(x: Any, *, axis: int = -1) -> Any:
    """1 at the first maximum along an axis, else 0. The gradient is zero."""
    array, xp = raw(x), get_array_module(x)
    axis = axis_of(axis, array.ndim)
    numbers = xp.arange(array.shape[axis]).reshape([-1 if i == axis else 1 for i in range(array.ndim)])
    return (numbers == expanded(xp.argmax(array, axis=axis), axis)).astype(array.dtype)
