"""NumPy as a backend."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from renga_backend_numpy.memory import keep_freed_as_set, statistics
from renga_backend_numpy.special import special
from renga_core.backend import Array, Backend

__all__ = ["NumpyBackend"]

_FEW = 512
"""For this many values or fewer, `numpy.add.at` without preparation is faster."""


class NumpyBackend(Backend):
    """Arrays in the host's memory."""

    name = "numpy"
    xp = np
    array_types = (np.ndarray,)
    scalar_types = (np.generic,)

    def __init__(self) -> None:
        keep_freed_as_set()

    def memory_info(self, index: int = 0) -> Mapping[str, int]:
        """Memory of this process in the C library, in bytes.

        Returns:
            ``pool_used``: bytes in use, for arrays and everything else; ``pool_total``: that plus the kept freed
            memory. Empty if the C library is not glibc 2.33 or newer.
        """
        found = statistics()
        return {} if found is None else {"pool_used": found.used, "pool_total": found.held}

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

    def scatter_add(self, target: Array, index: Any, values: Array) -> None:
        """See the protocol. Adds in the order of `values`.

        `numpy.add.at` is five times faster on one axis than on several. If that outweighs the preparation, the places
        become numbers along one axis. The sums are bitwise equal.
        """
        if np.size(values) < _FEW or not target.flags.c_contiguous:
            np.add.at(target, index, values)
            return
        lead = _indexed_axes(index, target.ndim)
        places = np.arange(math.prod(target.shape[:lead])).reshape(target.shape[:lead])[index]
        whole = (*places.shape, *target.shape[lead:])
        width = math.prod(target.shape[lead:])
        if width != 1:
            places = places[..., None] * width + np.arange(width)
        np.add.at(target.reshape(-1), places.reshape(-1), np.broadcast_to(values, whole).reshape(-1))

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
        """See the protocol. The functions are SciPy's."""
        return special(name)


def _indexed_axes(index: Any, ndim: int) -> int:
    """Number of axes that an index of integers or integer arrays selects from; for other indexes, all axes."""
    parts = index if isinstance(index, tuple) else (index,)
    return len(parts) if all(np.asarray(part).dtype.kind in "iu" for part in parts) else ndim
