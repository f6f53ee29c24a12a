"""The table of operators: what computes each, and how its inputs are wanted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["OPERATORS", "Body", "Operator", "key_of", "operator"]

Compute = Callable[..., Any]


class Body(Protocol):
    """A graph within a node, as a function of its inputs that returns the list of its outputs."""

    @property
    def none(self) -> list[Any]:
        """For each output, an array of no such outputs: of length 0, and then as the file declares it."""

    def __call__(self, *inputs: Any) -> list[Any]:
        """Compute it."""


@dataclass(frozen=True)
class Operator:
    """What computes an operator.

    Attributes:
        compute: A function of the inputs, by position, and of the attributes, by their names in ONNX. An input that is
            left out is None. Floating inputs are Variables; others are arrays; sequences are lists. A graph among the
            attributes is a `Body`. Returns one output, or a tuple
            of several, of which trailing ones may be more than a node asks for.
        host: Positions of the inputs that are wanted as NumPy arrays: shapes, axes, limits. Floating ones too, through
            which no gradient flows.
        fixed: Positions of the floating inputs that are not weights, such as a running mean: not trained.
        updates: Which output is the new value of which input, for the inputs that training changes by itself.
        count: The attribute that tells `compute` the number of outputs, if the node does not say it.
    """

    compute: Compute
    host: frozenset[int]
    fixed: frozenset[int]
    updates: dict[int, int]
    count: str

    @property
    def attributes(self) -> frozenset[str]:
        """Names of the attributes that are known."""
        parameters = inspect.signature(self.compute).parameters.values()
        return frozenset(p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY))

    def trains(self, position: int) -> bool:
        """Whether a floating initializer at this position is a weight."""
        return position not in self.host and position not in self.fixed


OPERATORS: dict[str, Operator] = {}
"""The operators by their names: those of other domains than ONNX's own as ``com.acme.Fused``.

The older form of an operator that an opset changed is at ``Clip before 11``.
"""

_LATEST_CHANGE = 14  # the latest `before` of an older form


def operator(
    *names: str,
    host: Iterable[int] = (),
    fixed: Iterable[int] = (),
    updates: dict[int, int] | None = None,
    count: str = "",
    before: int | None = None,
) -> Callable[[Compute], Compute]:
    """Enter a function into `OPERATORS`, under each of `names`.

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
