"""Random numbers from NumPy's global generator, from which Chainer draws: ``np.random.seed(0)`` decides a run.

Chainer's numbers come in float64, and are cast or compared then; so do these, whatever dtype is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_chainer.scope import of_chainer
from renga_core import random

__all__ = ["GlobalGenerator", "install", "uninstall"]


class GlobalGenerator:
    """`numpy.random`, with the methods of `numpy.random.Generator` that Renga calls; `dtype` has no effect."""

    def __init__(self) -> None:
        self.bit_generator = _State()

    def random(self, size: Any = None, dtype: Any = None) -> Any:
        """Uniform from 0 up to but not including 1, in float64."""
        return np.random.random_sample(size)

    def standard_normal(self, size: Any = None, dtype: Any = None) -> Any:
        """Of mean 0 and variance 1, in float64."""
        return np.random.standard_normal(size)

    def integers(self, low: int, high: int | None = None, size: Any = None, dtype: Any = np.int64) -> Any:
        """From `low` up to but not including `high`; from 0 to `low` if that is all."""
        return np.random.randint(low, high, size, dtype)

    def __getattr__(self, name: str) -> Any:
        """All else is called the same: `normal`, `uniform`, `permutation`, `choice`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(np.random, name)


class _State:
    """The generator's state, for the snapshots of `renga_core.random`."""

    @property
    def state(self) -> dict[str, Any]:
        """As data that JSON can hold."""
        found: Any = np.random.get_state(legacy=False)
        return {**found, "state": {**found["state"], "key": found["state"]["key"].tolist()}}

    @state.setter
    def state(self, value: Mapping[str, Any]) -> None:
        key = np.asarray(value["state"]["key"], dtype=np.uint32)
        np.random.set_state({**value, "state": {**value["state"], "key": key}})


_GENERATOR = GlobalGenerator()


def install() -> None:
    """Let code that uses Chainer draw from there what it draws on NumPy."""
    random.use("numpy", lambda: _GENERATOR if of_chainer() else None)


def uninstall() -> None:
    """As before."""
    random.use("numpy", None)
