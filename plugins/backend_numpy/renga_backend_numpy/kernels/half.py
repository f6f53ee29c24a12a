"""Matrix products in half precision (float16, bfloat16), computed in float32.

NumPy multiplies float16 matrices one element at a time and rounds each sum; float32 matrices by BLAS are more than
twenty times as fast. The same holds for bfloat16, from the package ml_dtypes. So arguments are converted to float32,
the reference computes in float32, and its result is rounded once.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array, is_floating
from renga_core.kernel import operations

__all__ = ["Convolution", "Deconvolution", "FilterGradient", "Linear", "MatMul", "supports", "supports_product"]


def supports(x: Array, other: Array, *rest: Any) -> bool:
    """Whether the images are in half precision; the result then is too, whatever the dtype of the filters."""
    return _is_half(x)


def supports_product(x: Array, W: Array, b: Any = None) -> bool:
    """Whether both factors are in half precision."""
    return _is_half(x) and bool(x.dtype == W.dtype)


def _is_half(x: Array) -> bool:
    return bool(x.dtype.itemsize == 2) and is_floating(x.dtype)


class _Widened:
    operation: ClassVar[str]

    @classmethod
    def forward(cls, *args: Any) -> Array:
        """See the reference."""
        return operations[cls.operation].reference.forward(*map(_widened, args)).astype(args[0].dtype)


def _widened(value: Any) -> Any:
    return value.astype(np.float32) if isinstance(value, np.ndarray) and _is_half(value) else value


class Convolution(_Widened):
    """Operation ``convolution``."""

    operation = "convolution"


class Deconvolution(_Widened):
    """Operation ``deconvolution``."""

    operation = "deconvolution"


class FilterGradient(_Widened):
    """Operation ``convolution_filter_gradient``."""

    operation = "convolution_filter_gradient"


class MatMul(_Widened):
    """Operation ``matmul``."""

    operation = "matmul"


class Linear(_Widened):
    """Operation ``linear``."""

    operation = "linear"

    @staticmethod
    def backward(x: Array, W: Array, gy: Array, wanted: tuple[int, ...]) -> tuple[Array, ...]:
        """See the reference."""
        backward = operations["linear"].reference.backward
        assert backward is not None
        gradients = backward(_widened(x), _widened(W), _widened(gy), wanted)
        return tuple([gradient.astype(x.dtype) for gradient in gradients])
