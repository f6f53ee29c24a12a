"""A backend for any library that has the array-API standard namespace."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from renga_backend_array_api.array import StandardArray
from renga_backend_array_api.generator import HostGenerator
from renga_backend_array_api.namespace import StandardNamespace
from renga_core.backend.protocol import Backend

__all__ = ["StandardBackend"]


class StandardBackend(Backend):
    """A backend for one class of arrays. Operations that the standard lacks run on the host.

    Args:
        name: Name of the backend for users.
        array: Class of the arrays.
    """

    random_stream = "numpy"

    def __init__(self, name: str, array: type[StandardArray]) -> None:
        self.name = name
        self.array = array
        self.xp = StandardNamespace(array)
        self.array_types = (array,)
        # Users may pass native arrays of the library: `asarray` wraps them.
        self.scalar_types = (array.native_type,)

    def asarray(self, value: object, index: int = 0) -> Any:
        return self.xp.asarray(value)

    def to_host(self, array: Any) -> np.ndarray[Any, Any]:
        return self.xp.asarray(array).to_host()  # type: ignore[no-any-return]

    def from_dlpack(self, array: Any) -> Any:
        try:
            return self.array(self.array.library.from_dlpack(array))
        except (BufferError, RuntimeError):  # for example for arrays with gaps
            return self.array.from_host(np.from_dlpack(array))

    def make_generator(self, seed: int) -> HostGenerator:
        return HostGenerator(self.xp, seed)

    def generator_state(self, generator: HostGenerator) -> dict[str, Any]:
        return dict(generator.host.bit_generator.state)

    def set_generator_state(self, generator: HostGenerator, state: Mapping[str, Any]) -> None:
        generator.host.bit_generator.state = state

    def scatter_add(self, target: Any, index: Any, values: Any) -> None:
        host = np.array(target.to_host())
        parts = index if isinstance(index, tuple) else (index,)
        key = tuple([part.to_host() if isinstance(part, StandardArray) else part for part in parts])
        np.add.at(host, key if isinstance(index, tuple) else key[0], self.to_host(values))
        target[...] = self.asarray(host)

    def sliding_windows(self, x: Any, window: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Any:
        first = x.ndim - len(window)
        sizes = zip(x.shape[first:], window, stride, dilation, strict=True)
        outputs = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in sizes]
        if min(outputs) < 1:
            raise ValueError(f"a window of {tuple(window)} does not fit into {x.shape[first:]}")
        elements = []
        for offset in itertools.product(*map(range, window)):
            axes = zip(offset, outputs, stride, dilation, strict=True)
            elements.append(x[(..., *[slice(k * d, k * d + (o - 1) * s + 1, s) for k, o, s, d in axes])])
        return self.xp.stack(elements, axis=-1).reshape(*x.shape[:first], *outputs, *window)
