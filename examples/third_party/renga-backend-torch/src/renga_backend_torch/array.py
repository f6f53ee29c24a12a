"""A tensor with NumPy's operators and methods."""

from __future__ import annotations

from typing import Any, Self

import array_api_compat.torch
import numpy as np
import torch

from renga_backend_array_api import StandardArray

__all__ = ["TorchArray"]


class TorchArray(StandardArray, library=array_api_compat.torch):
    """A tensor on the CPU that wants no gradient of PyTorch's: graphs are Renga's business.

    Args:
        native: The tensor.
    """

    __slots__ = ()

    @classmethod
    def from_native(cls, native: torch.Tensor) -> Self:
        """A user's tensor, cut off from the graph that it may belong to in PyTorch."""
        return cls(native.detach().cpu())

    @classmethod
    def from_host(cls, host: np.ndarray[Any, Any]) -> Self:
        """Shares memory, unless PyTorch cannot work on such an array: read-only, in reverse order, of foreign bytes."""
        cls.native_dtype(host.dtype.newbyteorder("="))
        if not (host.flags.writeable and host.dtype.isnative) or any(step < 0 for step in host.strides):
            host = np.array(host, dtype=host.dtype.newbyteorder("="), order="C")
        return cls(torch.from_numpy(host))

    def to_host(self) -> np.ndarray[Any, Any]:
        """Shares memory."""
        return self.native.numpy()  # type: ignore[no-any-return]

    def copy(self) -> Self:
        return type(self)(self.native.clone())

    def select(self, key: tuple[Any, ...]) -> Any:
        """By PyTorch's indexing, which is NumPy's."""
        return self.native[self._native_key(key)]

    def store(self, key: tuple[Any, ...], value: Any) -> None:
        """By PyTorch's indexing; by way of the host where a step is negative."""
        if any(isinstance(part, slice) and part.step is not None and part.step < 0 for part in key):
            super().store(key, value)
        else:
            self.native[self._native_key(key)] = value

    def _native_key(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([_native_part(part) for part in key])


def _native_part(part: Any) -> Any:
    """An index with arrays as tensors. Bytes are no mask, as they once were in PyTorch, but numbers."""
    if isinstance(part, np.ndarray):
        part = TorchArray.from_host(part)
    if isinstance(part, TorchArray):
        return part.native if part.native.dtype == torch.bool else part.native.long()
    return part
