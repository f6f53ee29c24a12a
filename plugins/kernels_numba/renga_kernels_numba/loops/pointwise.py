"""Elementwise functions, and their gradients from x or from the result y."""

from __future__ import annotations

import numpy as np

from renga_kernels_numba.loops.intrinsics import Floats, loop
from renga_kernels_numba.loops.mathematics import erf, exp, sigmoid, tanh
from renga_kernels_numba.loops.pieces import ELEMENTS

_ONE = np.float32(1)
_HALF = np.float32(0.5)
_ROOT_HALF = np.float32(np.sqrt(0.5))
_DENSITY = np.float32(1 / np.sqrt(2 * np.pi))
_ERF_SLOPE = np.float32(2 / np.sqrt(np.pi))
_GELU_INNER = np.float32(np.sqrt(2 / np.pi))
_GELU_CUBE = np.float32(0.044715)


@loop
def sigmoid_forward(piece: int, x: Floats, y: Floats, size: int) -> None:
    """y = 1 / (1 + e⁻ˣ)."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        y[i] = sigmoid(x[i])


@loop
def sigmoid_backward(piece: int, y: Floats, gy: Floats, gx: Floats, size: int) -> None:
    """Gradient from the result."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        gx[i] = gy[i] * y[i] * (_ONE - y[i])


@loop
def tanh_forward(piece: int, x: Floats, y: Floats, size: int) -> None:
    """y = tanh x."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        y[i] = tanh(x[i])


@loop
def tanh_backward(piece: int, y: Floats, gy: Floats, gx: Floats, size: int) -> None:
    """Gradient from the result."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        gx[i] = gy[i] * (_ONE - y[i] * y[i])


@loop
def erf_forward(piece: int, x: Floats, y: Floats, size: int) -> None:
    """y = erf x."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        y[i] = erf(x[i])


@loop
def erf_backward(piece: int, x: Floats, gy: Floats, gx: Floats, size: int) -> None:
    """Gradient from x: gy · 2/√π · exp(-x²)."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        gx[i] = gy[i] * (_ERF_SLOPE * exp(-x[i] * x[i]))


@loop
def silu_forward(piece: int, x: Floats, y: Floats, size: int) -> None:
    """y = x · sigmoid x."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        y[i] = x[i] * sigmoid(x[i])


@loop
def silu_backward(piece: int, x: Floats, gy: Floats, gx: Floats, size: int) -> None:
    """Gradient from x: gy · s · (1 + x · (1 - s)), with s = sigmoid x."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        s = sigmoid(x[i])
        gx[i] = gy[i] * (s * (_ONE + x[i] * (_ONE - s)))


@loop
def gelu_forward(piece: int, x: Floats, y: Floats, size: int) -> None:
    """y = x · ½ · (1 + erf(x/√2))."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        y[i] = x[i] * (_HALF * (_ONE + erf(x[i] * _ROOT_HALF)))


@loop
def gelu_backward(piece: int, x: Floats, gy: Floats, gx: Floats, size: int) -> None:
    """Gradient from x: gy · (Φ(x) + x · φ(x)), with the normal distribution Φ and its density φ."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        distribution = _HALF * (_ONE + erf(x[i] * _ROOT_HALF))
        gx[i] = gy[i] * (distribution + x[i] * (_DENSITY * exp(-_HALF * x[i] * x[i])))


@loop
def gelu_tanh_forward(piece: int, x: Floats, y: Floats, size: int) -> None:
    """y = x · ½ · (1 + tanh(√(2/π) · (x + 0.044715 x³)))."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        inner = _GELU_INNER * x[i] * (_ONE + _GELU_CUBE * x[i] * x[i])
        y[i] = x[i] * (_HALF * (_ONE + tanh(inner)))


@loop
def gelu_tanh_backward(piece: int, x: Floats, gy: Floats, gx: Floats, size: int) -> None:
    """Gradient from x."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        square = _GELU_CUBE * x[i] * x[i]
        t = tanh(_GELU_INNER * x[i] * (_ONE + square))
        slope = _GELU_INNER * (_ONE + np.float32(3) * square)
        gx[i] = gy[i] * (_HALF * (_ONE + t + x[i] * (_ONE - t * t) * slope))


@loop
def swiglu_forward(piece: int, gate: Floats, x: Floats, y: Floats, size: int) -> None:
    """y = gate · sigmoid(gate) · x."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        y[i] = gate[i] * sigmoid(gate[i]) * x[i]


@loop
def swiglu_backward(piece: int, gate: Floats, x: Floats, gy: Floats, ggate: Floats, gx: Floats, size: int) -> None:
    """ggate = gy · x · s · (1 + gate · (1 - s)) and gx = gy · gate · s, with s = sigmoid(gate)."""
    for i in range(piece * ELEMENTS, min(size, (piece + 1) * ELEMENTS)):
        s = sigmoid(gate[i])
        silu = gate[i] * s
        ggate[i] = gy[i] * x[i] * (s + silu * (_ONE - s))
        gx[i] = gy[i] * silu
