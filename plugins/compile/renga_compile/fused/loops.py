"""Which statements of a group share a loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from renga_compile.fused.statements import Arithmetic, Elementwise

__all__ = ["Loop", "loops_of"]


@dataclass
class Loop:
    """Statements that are computed together for each element of a shape.

    Attributes:
        shape: Without axes of length 1; empty for numbers.
        statements: In order.
    """

    shape: tuple[int, ...]
    statements: list[Arithmetic] = field(default_factory=list)


def loops_of(statements: Sequence[Arithmetic]) -> list[Loop]:
    """The loops that compute some statements: each statement is in the first loop of its shape in which it can be."""
    loops: list[Loop] = []
    ready: dict[str, int] = {}  # number of the first loop that may use an array
    at: dict[str, int] = {}  # number of the loop that makes it, element by element
    for statement in statements:
        shape, first = statement.loop_shape, 0
        for operand in statement.operands:
            if operand.name in at and all(operand.axes) and loops[at[operand.name]].shape == shape:
                first = max(first, at[operand.name])
            else:
                first = max(first, ready.get(operand.name, 0))
        number = next((i for i in range(first, len(loops)) if loops[i].shape == shape), len(loops))
        if number == len(loops):
            loops.append(Loop(shape))
        loops[number].statements.append(statement)
        ready[statement.result] = number + 1
        if isinstance(statement, Elementwise):
            at[statement.result] = number
    return loops
