"""Quantized arithmetic: integers represent ``scale * (integer - zero_point)`` (Jacob et al. 2018).

Integers have no gradient; values computed from them are constants for backpropagation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import get_array_module
from renga_core.graph import Variable
from renga_onnx.load.operators.convolution import conv
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import axis_of, dtype_of, nearest, raw

__all__: list[str] = []

Ints = list[int] | None


def _along(v: Any, x: Any, axis: int, block_size: int) -> Any:
    """Reshape a scale or zero point for x: one for all, one per position along an axis, or one per block.

    Raises:
        ValueError: It has another size.
    """
    if v.ndim == 0 or (v.ndim == 1 and v.shape[0] == 1 and not block_size):
        return v.reshape(())
    axis = axis_of(axis, x.ndim)
    if block_size:
        places = get_array_module(v).arange(x.shape[axis]) // block_size
        return v[(*(slice(None),) * axis, places)]
    if v.shape != (x.shape[axis],):
        raise ValueError(f"scales or zero points have shape {v.shape}, but axis {axis} has size {x.shape[axis]}")
    return v.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


def _rounded(x: Any, zero: Any, dtype: Any) -> Any:
    """Round to integers, add `zero`, and clip to the limits of the dtype."""
    limits, xp = np.iinfo(dtype), get_array_module(x)
    return xp.clip(nearest(x) + zero, limits.min, limits.max).astype(dtype)


def _centred(x: Any, zero: Any, axis: int) -> Any:
    """Integers minus their zero point, as int32."""
    return x.astype(np.int32) if zero is None else x.astype(np.int32) - _along(zero, x, axis, 0).astype(np.int32)


@operator("QuantizeLinear", fixed=(1,))
def quantize_linear(
    x: Any,
    scale: Any,
    zero: Any = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    saturate: int = 1,
) -> Any:
    """Round ``x / scale + zero`` to integers; uint8 unless the zero point or `output_dtype` says otherwise."""
    dtype = zero.dtype if zero is not None else dtype_of(output_dtype or 2)
    offset = 0 if zero is None else _along(zero, x, axis, block_size).astype(raw(x).dtype)
    return _rounded(raw(x) / _along(raw(scale), x, axis, block_size).astype(raw(x).dtype), offset, dtype)


@operator("DequantizeLinear", fixed=(1,))
def dequantize_linear(x: Any, scale: Any, zero: Any = None, *, axis: int = 1, block_size: int = 0) -> Any:
    """``(x - zero) * scale``."""
    centred = x if zero is None else x.astype(np.int32) - _along(zero, x, axis, block_size).astype(np.int32)
    return centred.astype(scale.dtype) * _along(raw(scale), x, axis, block_size)


@operator("DynamicQuantizeLinear")
def dynamic_quantize_linear(x: Any) -> Any:
    """Quantize to uint8 between the smallest and the largest element, and 0; also return scale and zero point."""
    array, xp = raw(x), get_array_module(x)
    low, high = (xp.asarray(bound, dtype=array.dtype) for bound in (min(0, array.min()), max(0, array.max())))
    scale = xp.asarray((high - low) / 255, dtype=array.dtype)
    safe = xp.where(scale == 0, xp.asarray(1, dtype=array.dtype), scale)
    zero = _rounded(-low / safe, 0, np.uint8)
    return _rounded(array / safe, zero.astype(array.dtype), np.uint8), scale, zero


@operator("MatMulInteger")
def matmul_integer(a: Any, b: Any, a_zero: Any = None, b_zero: Any = None) -> Any:
    """Product of integer matrices, int32. Zero points may be per row or per column."""
    return get_array_module(a).matmul(_centred(a, a_zero, -2), _centred(b, b_zero, -1))


@operator("QLinearMatMul", fixed=(1, 4, 6))
def quantized_matmul(
    a: Any, a_scale: Any, a_zero: Any, b: Any, b_scale: Any, b_zero: Any, y_scale: Any, y_zero: Any
) -> Any:
    """`matmul_integer` with a quantized result."""
    y = matmul_integer(a, b, a_zero, b_zero)
    scale = _along(raw(a_scale), y, -2, 0) * _along(raw(b_scale), y, -1, 0) / _along(raw(y_scale), y, -2, 0)
    return _rounded(y * scale, _along(y_zero, y, -2, 0).astype(np.int32), y_zero.dtype)


@operator("ConvInteger")
def conv_integer(
    x: Any,
    W: Any,
    x_zero: Any = None,
    W_zero: Any = None,
    *,
    kernel_shape: Ints = None,
    strides: Ints = None,
    pads: Ints = None,
    dilations: Ints = None,
    auto_pad: str = "NOTSET",
    group: int = 1,
) -> Any:
    """Convolution of integers, int32, computed in double precision, which represents each of them exactly."""
    images, filters = [Variable(v.astype(np.float64)) for v in (_centred(x, x_zero, 1), _centred(W, W_zero, 0))]
    y = conv(images, filters, strides=strides, pads=pads, dilations=dilations, auto_pad=auto_pad, group=group)
    return raw(y).astype(np.int32)


@operator("QLinearConv", fixed=(1, 4, 6))
def quantized_conv(
    x: Any,
    x_scale: Any,
    x_zero: Any,
    W: Any,
    W_scale: Any,
    W_zero: Any,
    y_scale: Any,
    y_zero: Any,
    b: Any = None,
    *,
    kernel_shape: Ints = None,
    strides: Ints = None,
    pads: Ints = None,
    dilations: Ints = None,
    auto_pad: str = "NOTSET",
    group: int = 1,
) -> Any:
    """`conv_integer` with a quantized result. The bias is int32, in units of the product of both scales."""
    y = conv_integer(
        x, W, x_zero, W_zero, strides=strides, pads=pads, dilations=dilations, auto_pad=auto_pad, group=group
    )
    if b is not None:
        y = y + _along(b, y, 1, 0)
    scale = raw(x_scale).reshape(()) * _along(raw(W_scale), y, 1, 0) / raw(y_scale).reshape(())
    return _rounded(y * scale, y_zero.reshape(()).astype(np.int32), y_zero.dtype)
