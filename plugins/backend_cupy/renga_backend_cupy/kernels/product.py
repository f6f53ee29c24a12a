"""Products of matrices by cuBLAS: ``matmul``, ``linear`` and ``linear_relu``, which a CUDA graph can hold."""

from __future__ import annotations

import math
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.cublas import DTYPES, multiply
from renga_backend_cupy.cublas_epilogue import BIAS, BIAS_GRADIENT, RELU_BIAS, multiply_with_vector
from renga_backend_cupy.kernels.activation import relu
from renga_core.backend import Array

__all__ = ["Linear", "LinearReLU", "MatMul", "supports_linear", "supports_linear_relu", "supports_matmul"]

_LARGEST = 2**31 - 1
"""Sizes are passed as 32-bit integers."""


def supports_matmul(a: Array, b: Array) -> bool:
    """Whether these are matrices, or batches of them, of one floating dtype."""
    return a.ndim >= 2 and b.ndim >= 2 and _fits(a, b)


def supports_linear(x: Array, W: Array, b: Array | None) -> bool:
    """Whether these are matrices and a vector of one floating dtype."""
    return x.ndim == W.ndim == 2 and _fits(x, W) and (b is None or bool(b.dtype == x.dtype))


def supports_linear_relu(x: Array, W: Array, b: Array | None) -> bool:
    """As `supports_linear`, with a bias."""
    return b is not None and supports_linear(x, W, b)


def _fits(a: Array, b: Array) -> bool:
    sizes = max((*a.shape, *b.shape), default=0) <= _LARGEST
    return a.dtype.name in DTYPES and bool(a.dtype == b.dtype) and sizes


class MatMul:
    """Operation ``matmul``."""

    @staticmethod
    def forward(a: Array, b: Array) -> Array:
        """See the reference."""
        if a.ndim == b.ndim == 2:
            return multiply(a, b)
        front = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        shape = (*front, a.shape[-2], b.shape[-1])
        if b.ndim == 2 and a.flags.c_contiguous:
            return multiply(a.reshape(math.prod(shape[:-1]), a.shape[-1]), b).reshape(shape)
        return multiply(_batch(a, front), _batch(b, front)).reshape(shape)


def _batch(x: Array, front: tuple[int, ...]) -> Array:
    """Matrices with one axis before them; copied only if no single stride leads from each to the next."""
    last = x.shape[-2:]
    whole = x if x.shape[:-2] == front else cupy.broadcast_to(x, (*front, *last))
    return whole.reshape(math.prod(front), *last)


class Linear:
    """Operation ``linear``; the bias, and its gradient, are part of a product where cublasLt has an algorithm."""

    @staticmethod
    def forward(x: Array, W: Array, b: Array | None) -> Array:
        """See the reference."""
        if b is None:
            return multiply(x, W.T)
        y = multiply_with_vector(x, W.T, cupy.ascontiguousarray(b), BIAS)
        if y is None:
            y = multiply(x, W.T)
            y += b
        return y

    @staticmethod
    def backward(x: Array, W: Array, gy: Array, wanted: tuple[int, ...]) -> tuple[Array, ...]:
        """See the reference."""
        gy = gy.astype(x.dtype, copy=False)
        gradients: dict[int, Any] = {}
        if 1 in wanted and 2 in wanted:
            gradients[2] = cupy.empty(W.shape[:1], dtype=W.dtype)
            gradients[1] = multiply_with_vector(gy.T, x, gradients[2], BIAS_GRADIENT)
        if gradients.get(1) is None:
            if 1 in wanted:
                gradients[1] = multiply(gy.T, x)
            if 2 in wanted:
                gradients[2] = gy.sum(axis=0)
        if 0 in wanted:
            gradients[0] = multiply(gy, W)
        return tuple([gradients[i] for i in wanted])


class LinearReLU:
    """Operation ``linear_relu``: product, bias and ReLU are one launch where cublasLt has an algorithm.

    cuBLAS's documentation does not say whether that ReLU keeps NaN, as the reference does, or turns it into 0.
    """

    @staticmethod
    def forward(x: Array, W: Array, b: Array) -> Array:
        """See the reference."""
        y = multiply_with_vector(x, W.T, cupy.ascontiguousarray(b), RELU_BIAS)
        return relu.forward(Linear.forward(x, W, b)) if y is None else y

    @staticmethod
    def backward(x: Array, W: Array, y: Array, gy: Array, wanted: tuple[int, ...]) -> tuple[Array, ...]:
        """See the reference."""
        return Linear.backward(x, W, relu.backward(y, gy), wanted)
