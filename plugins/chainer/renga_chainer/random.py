"""Random numbers from NumPy's global generator, as in Chainer: ``np.random.seed(0)`` makes a run reproducible.

Chainer draws in float64, then casts or compares; so does this module, whatever dtype is requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_chainer.scope import of_chainer
from renga_core import random

__all__ = ["GlobalGenerator", "install", "uninstall"]


class GlobalGenerator:
    """`numpy.random`, with the interface of `numpy.random.Generator` that Renga uses; `dtype` has no effect."""

    def __init__(self) -> None:
        self.bit_generator = _State()

    def random(self, size: Any = None, dtype: Any = None) -> Any:
        """Draw from the uniform distribution on [0, 1), in float64."""
        return np.random.random_sample(size)

    def standard_normal(self, size: Any = None, dtype: Any = None) -> Any:
        """Draw from the standard normal distribution, in float64."""
        return np.random.standard_normal(size)

    def integers(self, low: int, high: int | None = None, size: Any = None, dtype: Any = np.int64) -> Any:
        """Draw integers from [low, high); from [0, low) if `high` is not given."""
        return np.random.randint(low, high, size, dtype)

    def __getattr__(self, name: str) -> Any:
        """Look up other methods, which have the same names: `normal`, `uniform`, `permutation`, `choice`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.random, name)


class _State:
    """The generator's state, for the snapshots of `renga_core.random`."""

    @property
    def state(self) -> dict[str, Any]:
        """Return the state as JSON-compatible data."""
        found: Any = np.random.get_state(legacy=False)
        return {**found, "state": {**found["state"], "key": found["state"]["key"].tolist()}}

    @state.setter
    def state(self, value: Mapping[str, Any]) -> None:
        key = np.asarray(value["state"]["key"], dtype=np.uint32)
        np.random.set_state({**value, "state": {**value["state"], "key": key}})


_GENERATOR = GlobalGenerator()


def install() -> None:
    """Let code that uses Chainer draw from this generator on NumPy."""
    random.use("numpy", lambda: _GENERATOR if of_chainer() else None)


def uninstall() -> None:
    """Restore the previous generator."""
    random.use("numpy", None)
