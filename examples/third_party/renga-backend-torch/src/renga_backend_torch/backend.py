"""PyTorch as a backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from renga_backend_array_api import StandardBackend
from renga_backend_torch.array import TorchArray

__all__ = ["TorchBackend"]


class TorchBackend(StandardBackend):
    """PyTorch's tensors on the CPU. There is one device, ``torch:cpu``."""

    def __init__(self) -> None:
        super().__init__("torch", TorchArray)
        for name in ("cosh", "sinh"):
            setattr(self.xp, name, _in_double_precision(getattr(self.xp, name)))

    def device_name(self, index: int) -> str:
        """Translate the arguments to PyTorch's names."""
        return "torch:cpu"

    def scatter_add(self, target: Any, index: Any, values: Any) -> None:
        """Use `index_put_`."""
        parts = index if isinstance(index, tuple) else (index,)
        where = torch.arange(target.size).reshape(target.shape)[target._native_key(parts)]
        source = self.asarray(values).astype(target.dtype, copy=False).native.expand(where.shape)
        flat = target.native.reshape(-1)  # a view, unless there are gaps
        flat.index_add_(0, where.reshape(-1), source.reshape(-1))
        if not target.native.is_contiguous():
            target.native.copy_(flat.reshape(target.shape))

    def sliding_windows(self, x: Any, window: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Any:
        """Return a view."""
        native = x.native
        first, steps = native.ndim - len(window), native.stride()
        sizes = zip(native.shape[first:], window, stride, dilation, strict=True)
        outputs = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in sizes]
        if min(outputs) < 1:
            raise ValueError(f"a window of {tuple(window)} does not fit into {x.shape[first:]}")
        outer = [step * s for step, s in zip(steps[first:], stride, strict=True)]
        inner = [step * d for step, d in zip(steps[first:], dilation, strict=True)]
        return TorchArray(
            native.as_strided(
                (*native.shape[:first], *outputs, *window), (*steps[:first], *outer, *inner), native.storage_offset()
            )
        )


def _in_double_precision(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Compute with double precision what is in single: there PyTorch's AVX2 code gives infinity from 88.8 on, where
    e^x overflows, and the hyperbolic functions, which have half of it, do not."""

    def apply(x: Any) -> Any:
        if getattr(x, "dtype", None) == np.float32:
            return function(x.astype(np.float64)).astype(np.float32)
        return function(x)

    return apply
