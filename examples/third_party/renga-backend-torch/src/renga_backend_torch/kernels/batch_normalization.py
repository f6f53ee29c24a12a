"""Batch normalization by `torch.native_batch_norm`.

Arguments are those of the reference in `renga_nn.functions.normalization.batch_normalization`.
"""

from __future__ import annotations

from typing import Any

import torch

from renga_backend_torch.array import TorchArray

__all__ = ["BATCH_NORMALIZATION", "supports"]

_DTYPES = (torch.float32, torch.float64)


def supports(x: Any, gamma: Any, beta: Any, eps: float, axes: tuple[int, ...]) -> bool:
    """Whether the channels are axis 1, and all arrays have one dtype."""
    same = all(isinstance(a, TorchArray) and a.native.dtype == x.native.dtype for a in (x, gamma, beta))
    return same and x.native.dtype in _DTYPES and x.ndim > 1 and tuple(axes) == (0, *range(2, x.ndim))


class BATCH_NORMALIZATION:
    """Batch normalization, forward and backward."""

    @staticmethod
    def forward(
        x: Any, gamma: Any, beta: Any, eps: float, axes: tuple[int, ...]
    ) -> tuple[TorchArray, TorchArray, TorchArray, TorchArray]:
        """Return the normalized batch, mean, variance, and the inverse of the standard deviation."""
        y, mean, inv_std = torch.native_batch_norm(x.native, gamma.native, beta.native, None, None, True, 0.0, eps)
        var = (inv_std**-2 - eps).clamp_(min=0)
        return TorchArray(y), TorchArray(mean), TorchArray(var), TorchArray(inv_std)

    @staticmethod
    def backward(
        x: Any, gamma: Any, mean: Any, inv_std: Any, gy: Any, axes: tuple[int, ...]
    ) -> tuple[TorchArray, TorchArray, TorchArray]:
        """Gradients of x, gamma and beta."""
        gx, ggamma, gbeta = torch.ops.aten.native_batch_norm_backward(
            gy.native, x.native, gamma.native, None, None, mean.native, inv_std.native, True, 0.0, [True, True, True]
        )
        return TorchArray(gx), TorchArray(ggamma), TorchArray(gbeta)
