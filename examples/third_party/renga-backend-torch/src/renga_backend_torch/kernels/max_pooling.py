"""Max pooling by `torch.nn.functional`.

Arguments are those of the reference in `renga_nn.functions.pooling.max_pooling`. In both, the gradient goes to the
first maximum. PyTorch compares many channels at once if they are last in memory; this takes a tenth of the time, even
with a copy.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from renga_backend_torch.array import TorchArray

__all__ = ["MAX_POOLING", "supports"]

_DTYPES = (torch.float32, torch.float64)


def supports(x: Any, window: Any) -> bool:
    """Whether the window has two axes, and PyTorch has the same positions, with or without ``ceil_mode``."""
    if not isinstance(x, TorchArray) or x.native.dtype not in _DTYPES or len(window.ksize) != 2 or not x.size:
        return False
    if any(2 * p > k for p, k in zip(window.pad, window.ksize, strict=True)):
        return False
    return window.out in (_out(window, False), _out(window, True))


class MAX_POOLING:
    """Return the maximum of each window."""

    @staticmethod
    def forward(x: Any, window: Any) -> TorchArray:
        ceil_mode = window.out != _out(window, False)
        images = _channels_last(x)
        return TorchArray(functional.max_pool2d(images, window.ksize, window.stride, window.pad, 1, ceil_mode))

    @staticmethod
    def backward(x: Any, y: Any, gy: Any, window: Any) -> TorchArray:
        """Return the gradient of x. It finds the maxima again, because only x and y are kept."""
        geometry = (window.ksize, window.stride, window.pad, (1, 1), window.out != _out(window, False))
        images = _channels_last(x)
        _, indexes = functional.max_pool2d_with_indices(images, *geometry)
        gx = torch.ops.aten.max_pool2d_with_indices_backward(_channels_last(gy), images, *geometry, indexes)
        return TorchArray(gx)


def _channels_last(x: Any) -> torch.Tensor:
    return x.native.contiguous(memory_format=torch.channels_last)


def _out(window: Any, ceil_mode: bool) -> tuple[int, ...]:
    """Number of positions along each axis in PyTorch: the last must start inside the image or its padding."""
    made = []
    for n, k, s, p in zip(window.size, window.ksize, window.stride, window.pad, strict=True):
        span = n + 2 * p - k
        out = (span + s - 1 if ceil_mode else span) // s + 1
        made.append(out - 1 if ceil_mode and (out - 1) * s >= n + p else out)
    return tuple(made)
