"""A tensor with NumPy's operators and methods."""

from __future__ import annotations

from typing import Any, Self

import array_api_compat.torch
import numpy as np
import torch

from renga_backend_array_api import StandardArray

__all__ = ["TorchArray"]


class TorchArray(StandardArray, library=array_api_compat.torch):
    """A CPU tensor without PyTorch's gradients: Renga builds the graphs.

    Args:
        native: The tensor.
    """

    __slots__ = ()

    @classmethod
    def from_native(cls, native: torch.Tensor) -> Self:
        """Wrap a user's tensor, detached from its PyTorch graph."""
        return cls(native.detach().cpu())

    @classmethod
    def from_host(cls, host: np.ndarray[Any, Any]) -> Self:
        """Share memory, unless PyTorch does not support the array: read-only, negative strides, or foreign byte
        order."""
        cls.native_dtype(host.dtype.newbyteorder("="))
        if not (host.flags.writeable and host.dtype.isnative) or any(step < 0 for step in host.strides):
            host = np.array(host, dtype=host.dtype.newbyteorder("="), order="C")
        return cls(torch.from_numpy(host))

    def to_host(self) -> np.ndarray[Any, Any]:
        """Return a NumPy array that shares the memory."""
        return self.native.numpy()

    def copy(self) -> Self:
        return type(self)(self.native.clone())

    def select(self, key: tuple[Any, ...]) -> Any:
        """Use PyTorch's indexing, which equals NumPy's."""
        return self.native[self._native_key(key)]

    def store(self, key: tuple[Any, ...], value: Any) -> None:
        """Use PyTorch's indexing; for negative steps, copy through the host."""
        if any(isinstance(part, slice) and part.step is not None and part.step < 0 for part in key):
            super().store(key, value)
        else:
            self.native[self._native_key(key)] = value

    def _native_key(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([_native_part(part) for part in key])


def _native_part(part: Any) -> Any:
    """Convert arrays in an index to tensors. uint8 arrays must be numbers; older PyTorch treated them as masks."""
    if isinstance(part, np.ndarray):
        part = TorchArray.from_host(part)
    if isinstance(part, TorchArray):
        return part.native if part.native.dtype == torch.bool else part.native.long()
    return part
