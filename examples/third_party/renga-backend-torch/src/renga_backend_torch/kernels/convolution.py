"""Convolution, its transpose and its filters' gradient by `torch.nn.functional` and `torch.nn.grad`.

Arguments are those of the references in `renga_nn.functions.connection.convolution_reference`, including the size of
the result. PyTorch computes that size itself; if it differs, the reference computes the operation. The same applies to
half precision.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional, grad

from renga_backend_torch.array import TorchArray

__all__ = [
    "CONVOLUTION",
    "DECONVOLUTION",
    "FILTER_GRADIENT",
    "supports_convolution",
    "supports_deconvolution",
    "supports_filter_gradient",
]

Ints = tuple[int, ...]

_CONVOLVE = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
_DECONVOLVE = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}
_CORRELATE = {1: grad.conv1d_weight, 2: grad.conv2d_weight, 3: grad.conv3d_weight}
_DTYPES = (torch.float32, torch.float64)


def supports_convolution(x: Any, W: Any, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> bool:
    """Whether PyTorch's result has this size."""
    return _usual(x, W, b) and out == _sizes(x.shape[2:], W.shape[2:], stride, pad, dilate)


def supports_deconvolution(
    y: Any, W: Any, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints
) -> bool:
    """Whether PyTorch's images have this size."""
    lacking = zip(_lacking(y, W, stride, pad, dilate, size), stride, dilate, strict=True)
    return _usual(y, W, b) and all(0 <= n < max(s, d) for n, s, d in lacking)


def supports_filter_gradient(x: Any, y: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints) -> bool:
    """Whether PyTorch would compute maps of this size from these images."""
    return _usual(x, y, None) and y.shape[2:] == _sizes(x.shape[2:], ksize, stride, pad, dilate)


class CONVOLUTION:
    """Compute maps from images and filters."""

    @staticmethod
    def forward(x: Any, W: Any, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, out: Ints) -> TorchArray:
        bias = None if b is None else b.native
        return TorchArray(_CONVOLVE[len(out)](x.native, W.native, bias, stride, pad, dilate, groups))


class DECONVOLUTION:
    """Compute images from maps and filters."""

    @staticmethod
    def forward(y: Any, W: Any, b: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, size: Ints) -> TorchArray:
        bias = None if b is None else b.native
        lacking = _lacking(y, W, stride, pad, dilate, size)
        return TorchArray(_DECONVOLVE[len(size)](y.native, W.native, bias, stride, pad, lacking, groups, dilate))


class FILTER_GRADIENT:
    """Compute filters from images and maps."""

    @staticmethod
    def forward(x: Any, y: Any, stride: Ints, pad: Ints, dilate: Ints, groups: int, ksize: Ints) -> TorchArray:
        shape = (y.shape[1], x.shape[1] // groups, *ksize)
        return TorchArray(_CORRELATE[len(ksize)](x.native, shape, y.native, stride, pad, dilate, groups))


def _usual(x: Any, W: Any, b: Any) -> bool:
    """Whether the arrays are not empty, and have one dtype in which PyTorch is fast and exact."""
    arrays = [a for a in (x, W, b) if a is not None]
    same = all(isinstance(a, TorchArray) and a.native.dtype == x.native.dtype for a in arrays)
    return same and x.native.dtype in _DTYPES and 3 <= x.ndim <= 5 and all(a.size for a in arrays)


def _sizes(size: Ints, ksize: Ints, stride: Ints, pad: Ints, dilate: Ints) -> Ints:
    """Return the size of PyTorch's maps."""
    axes = zip(size, ksize, stride, pad, dilate, strict=True)
    return tuple([(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in axes])


def _lacking(y: Any, W: Any, stride: Ints, pad: Ints, dilate: Ints, size: Ints) -> Ints:
    """Return PyTorch's ``output_padding``: the size of an image minus the smallest size with these maps."""
    axes = zip(size, y.shape[2:], W.shape[2:], stride, pad, dilate, strict=True)
    return tuple([n - ((o - 1) * s - 2 * p + d * (k - 1) + 1) for n, o, k, s, p, d in axes])
