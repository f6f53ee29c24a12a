"""Divides the statements of a group into loops, and loops among threads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from renga_compile.fused.statements import Arithmetic, Elementwise, Operand, Reduction, Spec

__all__ = ["Axes", "Loop", "loops_of"]

_PIECES = 8  # of a loop that threads share
_ALONE = 40_000  # nanoseconds of work up to which one thread is faster than several
_SLOW = re.compile(r"\b(?:exp|log|sigmoid|tanh)\(")


@dataclass
class Loop:
    """Statements that are computed together for each element of a shape.

    Attributes:
        shape: Without axes of length 1; empty for numbers.
        statements: In order.
    """

    shape: tuple[int, ...]
    statements: list[Arithmetic] = field(default_factory=list)

    def pieces(self, specs: Mapping[str, Spec]) -> int:
        """Number of pieces of the first axis. It depends on shapes only, so that sums have a fixed order."""
        axes = Axes(self)
        pieces = min(_PIECES, axes.lengths[0]) if axes.lengths else 1
        sums = [each for each in self.statements if isinstance(each, Reduction)]
        apart = sum([each.spec.size for each in sums if not axes.grouped(each.kept)[0]])
        few = prod(self.shape) >= 4 * pieces * apart  # each piece has its own sums
        return pieces if few and self._nanoseconds(specs) > _ALONE else 1

    def _nanoseconds(self, specs: Mapping[str, Spec]) -> float:
        """Estimated time of the work for one thread."""
        made = {each.result for each in self.statements}
        arrays = {name: specs[name] for each in self.statements for name in (*each.reads, each.result)}
        moved = sum([spec.size * spec.dtype.itemsize for name, spec in arrays.items() if name not in made])
        texts = [each.expression for each in self.statements if isinstance(each, Elementwise)]
        double = any(spec.dtype == np.float64 for spec in arrays.values())
        slow = sum([len(_SLOW.findall(text)) for text in texts]) * (5 if double else 0.5)
        return float(moved / 20 + prod(self.shape) * (0.05 * len(self.statements) + slow))


class Axes:
    """The axes of a loop; neighbours that all arrays have, or lack, together are joined.

    Attributes:
        lengths: Lengths of the joined axes.
    """

    def __init__(self, loop: Loop) -> None:
        operands = {operand for each in loop.statements for operand in each.operands}
        patterns = {operand.axes for operand in operands}
        patterns |= {each.kept for each in loop.statements if isinstance(each, Reduction)}
        apart = {axis + i for operand in operands for axis, *_ in operand.bounds for i in (0, 1)}
        steps = [operand.steps for operand in operands if operand.steps is not None]
        self._starts = [
            axis
            for axis in range(len(loop.shape))
            if axis == 0
            or axis in apart
            or any(pattern[axis] != pattern[axis - 1] for pattern in patterns)
            or any(each[axis - 1] != each[axis] * loop.shape[axis] for each in steps)
        ]
        ends = [*self._starts[1:], len(loop.shape)]
        self.lengths = [prod(loop.shape[a:b]) for a, b in zip(self._starts, ends, strict=False)]

    def grouped(self, pattern: tuple[bool, ...]) -> list[bool]:
        """For each joined axis whether an array has it."""
        return [pattern[start] for start in self._starts]

    def inside(self, operand: Operand) -> str:
        """Return the condition that an operand with bounds has an element."""
        levels = [(self._starts.index(axis), start, stop) for axis, start, stop in operand.bounds]
        return " and ".join([f"i{level} >= {start} and i{level} < {stop}" for level, start, stop in levels])

    def place(self, operand: Operand) -> str:
        """Return the position of an operand's element."""
        if operand.steps is None:
            return self.ordered(operand.axes)
        lasts = [start - 1 for start in (*self._starts[1:], len(operand.steps))] if self._starts else []
        terms = [f"i{level} * {operand.steps[axis]}" for level, axis in enumerate(lasts) if operand.steps[axis]]
        return " + ".join([*terms, f"{operand.offset}"])

    def ordered(self, pattern: tuple[bool, ...]) -> str:
        """Return the position of an element in a contiguous array that has some of the axes."""
        step, terms = 1, []
        for level, has in reversed(list(enumerate(self.grouped(pattern)))):
            if has:
                terms.append(f"i{level} * {step}" if step != 1 else f"i{level}")
                step *= self.lengths[level]
        return " + ".join(reversed(terms)) or "0"


def loops_of(statements: Sequence[Arithmetic]) -> list[Loop]:
    """Return the loops for some statements: each statement is in the first possible loop of its shape."""
    loops: list[Loop] = []
    ready: dict[str, int] = {}  # number of the first loop that may use an array
    at: dict[str, int] = {}  # number of the loop that computes it elementwise
    for statement in statements:
        shape, first = statement.loop_shape, 0
        for operand in statement.operands:
            if operand.name in at and operand.whole and loops[at[operand.name]].shape == shape:
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
