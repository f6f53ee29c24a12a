"""Scaled dot-product attention by PyTorch: its CPU kernel processes keys in blocks and stores no weights."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from renga_backend_torch.array import TorchArray

__all__ = ["ATTENTION", "supports"]

_DTYPES = (torch.float32, torch.float64)


def supports(query: Any, key: Any, value: Any, mask: Any, keep: Any, causal: bool, scale: float) -> bool:
    """Whether all values are finite and of one dtype, without dropout, and every query surely sees a key.

    For a query whose scores are all -inf, PyTorch returns zeros, which hides the problem; the reference returns NaN.
    """
    given = (query, key, value)
    return (
        all(isinstance(x, TorchArray) and x.native.dtype == query.native.dtype for x in given)
        and query.native.dtype in _DTYPES
        and mask is None
        and keep is None
        and min(query.shape) > 0
        and all(bool(torch.isfinite(x.native).all()) for x in given)
    )


class ATTENTION:
    """Attention, with PyTorch's own backward."""

    @staticmethod
    def forward(
        query: Any, key: Any, value: Any, mask: None, keep: None, causal: bool, scale: float
    ) -> tuple[TorchArray, Any]:
        """Return the weighted means; keep PyTorch's result and input tensors."""
        given = [x.native.detach().requires_grad_() for x in (query, key, value)]
        with torch.enable_grad():
            y = scaled_dot_product_attention(*given, is_causal=causal, scale=scale)
        return TorchArray(y.detach()), (y, given)

    @staticmethod
    def backward(
        query: Any,
        key: Any,
        value: Any,
        mask: None,
        keep: None,
        causal: bool,
        scale: float,
        y: Any,
        kept: Any,
        gy: Any,
    ) -> tuple[TorchArray, TorchArray, TorchArray]:
        """Gradients of query, key and value."""
        result, given = kept
        gq, gk, gv = torch.autograd.grad(result, given, gy.native, retain_graph=True)
        return TorchArray(gq), TorchArray(gk), TorchArray(gv)
