"""The table of operators: what computes each, and how its inputs are wanted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

__all__ = ["OPERATORS", "Operator", "operator"]

Compute = Callable[..., Any]


@dataclass(frozen=True)
class Operator:
    """What computes an operator.

    Attributes:
        compute: A function of the inputs, by position, and of the attributes, by their names in ONNX. An input that is
            left out is None. Floating inputs are Variables; others are arrays; sequences are lists. A graph among the
            attributes is a function of its inputs that returns the list of its outputs. Returns one output, or a tuple
            of several, of which trailing ones may be more than a node asks for.
        host: Positions of the inputs that are wanted as NumPy arrays: shapes, axes, limits. Floating ones too, through
            which no gradient flows.
        fixed: Positions of the floating inputs that are no weights, such as a running mean: not trained.
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
"""The operators by their names: those of other domains than ONNX's own as ``com.acme.Fused``."""


def operator(
    *names: str,
    host: Iterable[int] = (),
    fixed: Iterable[int] = (),
    updates: dict[int, int] | None = None,
    count: str = "",
) -> Callable[[Compute], Compute]:
    """Enter a function into `OPERATORS`, under each of `names`. The arguments are the attributes of `Operator`."""

    def enter(compute: Compute) -> Compute:
        made = Operator(compute, frozenset(host), frozenset(fixed), updates or {}, count)
        OPERATORS.update(dict.fromkeys(names, made))
        return compute

    return enter
