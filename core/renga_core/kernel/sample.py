"""Arguments to try an operation with: what its kernels are compared with the reference on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Sample", "Samples", "Seeded"]


@dataclass(frozen=True)
class Seeded:
    """Stands, among the arguments of a sample, for a random generator: a new one for each call, with this seed."""

    seed: int


@dataclass(frozen=True)
class Sample:
    """One way to call an operation.

    Attributes:
        name: What is special about it, for messages: ``odd sizes``, ``empty``.
        args: Arguments of forward; arrays are the host's, and `Seeded` stands for a generator of the backend.
        backward: Gives the arguments of backward from those of forward, what forward returned, and a gradient in the
            shape of its (first) result; all of these are arrays of the backend under test. None where the operation has
            no backward of its own.
        changed: Places of the arguments that forward changes, and returns.
        bordered: Places of the arguments that a kernel may multiply with zeros around an image, or not: of NaN there it
            is not said whether it shows where nothing but such zeros meets it.
    """

    name: str
    args: tuple[Any, ...]
    backward: Callable[[tuple[Any, ...], Any, Any], tuple[Any, ...]] | None = None
    changed: tuple[int, ...] = ()
    bordered: tuple[int, ...] = ()


# As text: NumPy imports `numpy.random` when it is first spoken of, which takes a quarter as long as the rest of NumPy.
Samples: TypeAlias = "Callable[[np.random.Generator, np.dtype[Any]], Iterable[Sample]]"
"""Makes the samples of an operation, in a floating dtype. Odd sizes and, where they make sense, empty arrays among
them."""
