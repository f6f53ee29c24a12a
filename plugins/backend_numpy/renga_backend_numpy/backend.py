"""NumPy as a backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from renga_backend_numpy.special import special
from renga_core.backend import Array, Backend

__all__ = ["NumpyBackend"]


class NumpyBackend(Backend):
    """Arrays in the host's memory."""

    name = "numpy"
    xp = np
    array_types = (np.ndarray,)
    scalar_types = (np.generic,)

    def asarray(self, value: object, index: int = 0) -> Array:  # noqa: D102 - the protocol's
        return np.asarray(value)

    def to_host(self, array: Array) -> np.ndarray[Any, Any]:  # noqa: D102
        return np.asarray(array)

    def from_dlpack(self, array: Any) -> Array:  # noqa: D102
        return np.from_dlpack(array)

    def make_generator(self, seed: int) -> np.random.Generator:  # noqa: D102
        return np.random.Generator(np.random.PCG64(seed))

    def generator_state(self, generator: np.random.Generator) -> dict[str, Any]:  # noqa: D102
        return dict(generator.bit_generator.state)

    def set_generator_state(self, generator: np.random.Generator, state: Mapping[str, Any]) -> None:  # noqa: D102
        generator.bit_generator.state = state

    def scatter_add(self, target: Array, index: Any, values: Array) -> None:  # noqa: D102
        np.add.at(target, index, values)

    def sliding_windows(  # noqa: D102
        self, x: Array, window: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
    ) -> Array:
        first = x.ndim - len(window)
        outputs, outer, inner = [], [], []
        for axis, (k, s, d) in enumerate(zip(window, stride, dilation, strict=True), first):
            outputs.append((x.shape[axis] - d * (k - 1) - 1) // s + 1)
            outer.append(x.strides[axis] * s)
            inner.append(x.strides[axis] * d)
        if min(outputs) < 1:
            raise ValueError(f"a window of {tuple(window)} does not fit into {x.shape[first:]}")
        shape = (*x.shape[:first], *outputs, *window)
        return as_strided(x, shape, (*x.strides[:first], *outer, *inner), writeable=False)

    def special(self, name: str) -> Callable[..., Array]:
        """As the protocol says, by SciPy."""
        return special(name)
