"""A model as a list of functions, and the arrays between them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from renga_core.graph import FunctionNode
from renga_inference.constants import Constants
from renga_inference.sizes import Number, Size, mapped, value_at

__all__ = ["Host", "Place", "Program", "Spec", "Step", "of_batch", "places_in", "with_arrays"]

Host = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Place(Number):
    """Stands for an array in the return value of a model.

    Attributes:
        value: Number of the array.
    """

    value: int


@dataclass(frozen=True)
class Spec:
    """Shape and dtype of an array that is not computed yet.

    Attributes:
        shape: Its shape.
        dtype: Its dtype.
    """

    shape: tuple[int | Size, ...]
    dtype: np.dtype[Any]

    def __str__(self) -> str:
        """Such as ``float32 (N, 3, 224, 224)``, where N is the batch size."""
        return f"{self.dtype} ({', '.join('N' if isinstance(size, Size) else str(size) for size in self.shape)})"

    def at(self, batch: int) -> tuple[int, ...]:
        """The shape for a batch of this size."""
        return tuple(value_at(self.shape, batch))


@dataclass(frozen=True)
class Step:
    """Functions that are computed together: any function, then elementwise functions of its result.

    Attributes:
        function: The first function, not applied yet. Its attributes may hold a `Size`, or a `Place` for an array that
            changes between calls, such as indices of words.
        inputs: Numbers of its inputs.
        outputs: Numbers of the results; if `then` is not empty, of its last function.
        then: Elementwise functions of the result, in order, each with the number of its second operand or None.
        where: ``file:line`` of the user's program.
        held: Numbers of the arrays that the first function's attributes hold.
    """

    function: FunctionNode
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    then: tuple[tuple[FunctionNode, int | None], ...] = ()
    where: str = ""
    held: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "held", tuple(places_in(vars(self.function))))

    @property
    def reads(self) -> tuple[int, ...]:
        """Numbers of all arrays that it reads: inputs, second operands of `then`, arrays that functions hold."""
        return (*self.inputs, *[other for _, other in self.then if other is not None], *self.held)

    @property
    def name(self) -> str:
        """Name for messages: ``Convolution + ReLU (model.py:12)``."""
        names = " + ".join([self.function.label, *[function.label for function, _ in self.then]])
        return f"{names} ({self.where})" if self.where else names

    def at(self, batch: int) -> Step:
        """The step for a batch of this size."""
        then = tuple([(of_batch(function, batch), other) for function, other in self.then])
        return replace(self, function=of_batch(self.function, batch), then=then)


@dataclass(frozen=True)
class Program:
    """The computation of a model in test mode.

    Arrays are identified by numbers.

    Attributes:
        inputs: Numbers of the arguments.
        constants: Arrays that exist before the call, mostly parameters. If the shape depends on the batch, the value of
            all elements, such as the 0 of an initial state.
        steps: The steps, in order.
        specs: Shape and dtype of each array.
        result: The return value, with a `Place` for each array.
        batch: The size of the batch in the example.
        fixed: Reason why no other batch size is possible; empty if others are possible.
    """

    inputs: tuple[int, ...]
    constants: Constants
    steps: tuple[Step, ...]
    specs: Mapping[int, Spec]
    result: Any
    batch: int
    fixed: str = ""
    outputs: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "outputs", tuple(_places(self.result)))


def of_batch(function: FunctionNode, batch: int) -> FunctionNode:
    """Return the function for a batch of this size, ready to compute. Each call needs its own."""
    made = copy.copy(function)
    for name, value in vars(function).items():
        bound = value_at(value, batch)
        if bound is not value:
            setattr(made, name, bound)
    return made


def places_in(value: Any) -> list[int]:
    """Return the numbers of the arrays for which a value holds a `Place`."""
    found: list[int] = []
    mapped(value, lambda part: found.append(part.value) if isinstance(part, Place) else None)
    return found


def with_arrays(function: FunctionNode, values: Mapping[int, Host]) -> FunctionNode:
    """Return a copy of the function that can compute once, with arrays instead of `Place` attributes."""
    made = copy.copy(function)
    for name, value in vars(function).items():
        setattr(made, name, mapped(value, lambda part: values[part.value] if isinstance(part, Place) else part))
    return made


def _places(result: Any) -> list[int]:
    if isinstance(result, Place):
        return [result.value]
    parts = result.values() if isinstance(result, dict) else result if isinstance(result, (tuple, list)) else ()
    return list(dict.fromkeys(number for part in parts for number in _places(part)))
