"""Random numbers of NumPy as arrays of another library."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["HostGenerator"]


class HostGenerator:
    """Draws from NumPy's generator PCG64 on the host, so that a seed gives the same numbers as on ``numpy``.

    Args:
        xp: Namespace whose `asarray` creates the arrays.
        seed: Seed of the generator.
    """

    def __init__(self, xp: Any, seed: int) -> None:
        self._xp = xp
        self.host = np.random.Generator(np.random.PCG64(seed))

    def random(self, size: Any = None, dtype: Any = np.float64) -> Any:
        return self._xp.asarray(self.host.random(size, dtype=dtype))

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Any = None) -> Any:
        return self._xp.asarray(self.host.uniform(low, high, size))

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        return self._xp.asarray(self.host.normal(loc, scale, size))

    def standard_normal(self, size: Any = None, dtype: Any = np.float64) -> Any:
        return self._xp.asarray(self.host.standard_normal(size, dtype=dtype))

    def integers(self, low: int, high: int | None = None, size: Any = None, dtype: Any = np.int64) -> Any:
        return self._xp.asarray(self.host.integers(low, high, size, dtype=dtype))

    def permutation(self, x: Any) -> Any:
        return self._xp.asarray(self.host.permutation(x.to_host() if hasattr(x, "to_host") else x))
