"""The table of operators: their implementations and input requirements."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["OPERATORS", "Body", "Operator", "key_of", "operator"]

Compute = Callable[..., Any]


class Body(Protocol):
    """A graph inside a node, as a function from inputs to a list of outputs."""

    @property
    def none(self) -> list[Any]:
        """For each output, an empty array: length 0, further axes as declared in the file."""

    def __call__(self, *inputs: Any) -> list[Any]:
        """Compute the graph."""


@dataclass(frozen=True)
class Operator:
    """Implementation of an operator.

    Attributes:
        compute: Function of the inputs, by position, and the attributes, by ONNX's names. An omitted input is None.
            Floating-point inputs are Variables; others are arrays; sequences are lists. A graph among the attributes is
            a `Body`. Returns one output or a tuple of outputs; it may have more than the node uses.
        host: Positions of inputs needed as NumPy arrays: shapes, axes, limits. For floating-point ones there is no
            gradient.
        fixed: Positions of floating-point inputs that are not weights, such as a running mean: not trained.
        updates: Maps outputs to the inputs that they replace after a training step.
        count: Attribute that passes the number of outputs to `compute`, if the node lacks it.
    """

    compute: Compute
    host: frozenset[int]
    fixed: frozenset[int]
    updates: dict[int, int]
    count: str

    @property
    def attributes(self) -> frozenset[str]:
        """Names of the supported attributes."""
        parameters = inspect.signature(self.compute).parameters.values()
        return frozenset(p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY))

    def trains(self, position: int) -> bool:
        """Whether a floating-point initializer at this position is a weight."""
        return position not in self.host and position not in self.fixed


OPERATORS: dict[str, Operator] = {}
"""Operators by name; those of other domains as ``com.acme.Fused``.

An older form of an operator has the key ``Clip before 11``.
"""

_LATEST_CHANGE = 14  # the largest `before` of any older form


def operator(
    *names: str,
    host: Iterable[int] = (),
    fixed: Iterable[int] = (),
    updates: dict[int, int] | None = None,
    count: str = "",
    before: int | None = None,
) -> Callable[[Compute], Compute]:
    """Register a function in `OPERATORS` under each of `names`.

    Args:
        names: Names of operators.
        host, fixed, updates, count: The attributes of `Operator`.
        before: This is the form that the operators had before this opset. Without it, the form of all opsets that no
            older form covers.
    """

    def enter(compute: Compute) -> Compute:
        made = Operator(compute, frozenset(host), frozenset(fixed), updates or {}, count)
        OPERATORS.update({name if before is None else _older(name, before): made for name in names})
        return compute

    return enter


def _older(name: str, before: int) -> str:
    return f"{name} before {before}"


def key_of(name: str, opset: int) -> str | None:
    """The key in `OPERATORS` of an operator in an opset; None if it is not known."""
    older = [_older(name, before) for before in range(opset + 1, _LATEST_CHANGE + 1)]
    return next((key for key in (*older, name) if key in OPERATORS), None)
