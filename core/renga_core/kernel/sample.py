"""Example arguments of operations, for comparing kernels with the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Sample", "Samples", "Seeded"]


@dataclass(frozen=True)
class Seeded:
    """A placeholder for a random generator in a sample's arguments: each call gets a new generator with this seed."""

    seed: int


@dataclass(frozen=True)
class Sample:
    """Example arguments of one call of an operation.

    Attributes:
        name: What is special about them, for messages: ``odd sizes``, ``empty``.
        args: Arguments of forward: host arrays and other values; `Seeded` stands for a generator of the backend.
        backward: Makes the arguments of backward from the arguments of forward, its return value, and a gradient in the
            shape of its (first) result, all as arrays of the tested backend. None if the operation has no backward.
        changed: Indexes of the arguments that forward changes and returns.
        bordered: Indexes of arguments that a kernel may or may not multiply with zeros of the padding around an image.
            With NaN the two differ, so the padded region is not compared.
    """

    name: str
    args: tuple[Any, ...]
    backward: Callable[[tuple[Any, ...], Any, Any], tuple[Any, ...]] | None = None
    changed: tuple[int, ...] = ()
    bordered: tuple[int, ...] = ()


# As text, because NumPy imports `numpy.random` lazily, which takes a quarter of the time of importing NumPy.
Samples: TypeAlias = "Callable[[np.random.Generator, np.dtype[Any]], Iterable[Sample]]"
"""Makes the samples of an operation in a floating dtype: odd sizes and, if sensible, empty arrays among them."""
