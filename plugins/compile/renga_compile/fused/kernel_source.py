"""The loops of a group as Python that numba compiles.

Arrays are read and written as if they had one axis, at places that are sums of loop variables times constants. An
array that only its own loop reads is a local variable. One with a single element is a local variable everywhere.

Sums are accumulated in double precision, from the first element to the last but for numbers of lanes in the innermost
loop, as the compiler likes it, and rounded once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np

from renga_compile.fused.groups import Group
from renga_compile.fused.loops import Loop, loops_of
from renga_compile.fused.statements import Elementwise, Operand, Reduction, Spec

__all__ = ["kernel_source"]

_TYPES = {np.dtype(np.float32): "f4", np.dtype(np.float64): "f8"}
_OPERAND = re.compile(r"\b_(\d+)\b")


def kernel_source(group: Group, specs: Mapping[str, Spec]) -> str:
    """A function ``kernel``, whose arguments are the inputs of the group, then its outputs.

    Args:
        group: What it computes.
        specs: Of its arrays, by name.
    """
    return _Source(group, specs).text()


class _Source:
    def __init__(self, group: Group, specs: Mapping[str, Spec]) -> None:
        self._group = group
        self._loops = loops_of(group.statements)
        self._loop_of = {each.result: loop for loop in self._loops for each in loop.statements}
        self._specs = specs
        self._short = {name: f"{number}" for number, name in enumerate([*group.inputs, *self._loop_of])}
        self._lines: list[str] = []
        self._indent = "    "

    def text(self) -> str:
        group = self._group
        outputs = [each.result for each in group.outputs]
        arguments = [f"a{self._short[name]}" for name in [*group.inputs, *outputs]]
        for name in [*group.inputs, *outputs]:
            flat = "" if len(self._specs[name].shape) == 1 else f".reshape({self._specs[name].size})"
            self._line(f"b{self._short[name]} = a{self._short[name]}{flat}")
        for name in group.inputs:
            if self._specs[name].size == 1:
                self._line(f"t{self._short[name]} = b{self._short[name]}[0]")
        for name in self._between_loops() - set(outputs):
            self._line(f"b{self._short[name]} = np.empty({self._specs[name].size}, np.{self._specs[name].dtype})")
        for loop in self._loops:
            self._loop(loop, set(outputs))
        return "\n".join([f"def kernel({', '.join(arguments)}):", *self._lines, ""])

    def _line(self, text: str) -> None:
        self._lines.append(self._indent + text)

    def _between_loops(self) -> set[str]:
        """Arrays that one loop makes and another one reads."""
        return {
            operand.name
            for loop in self._loops
            for each in loop.statements
            for operand in each.operands
            if self._loop_of.get(operand.name, loop) is not loop and self._specs[operand.name].size > 1
        }

    # --- a loop -------------------------------------------------------------------------------------------------------

    def _loop(self, loop: Loop, outputs: set[str]) -> None:
        stored = outputs | self._between_loops()
        sums = [each for each in loop.statements if isinstance(each, Reduction)]
        axes = _Axes(loop)
        for each in sums:
            number = self._short[each.result]
            self._line(f"r{number} = {f'np.zeros({each.spec.size})' if each.spec.size > 1 else '0.0'}")
        inner = len(axes.lengths) - 1
        for level, length in enumerate(axes.lengths):
            if level == inner:
                self._begin_rows(sums, axes)
            self._line(f"for i{level} in range({length}):")
            self._indent += "    "
        for statement in loop.statements:
            if isinstance(statement, Elementwise):
                self._elementwise(statement, loop, axes, stored)
            elif isinstance(statement, Reduction):
                self._add_to_sum(statement, loop, axes)
        self._indent = self._indent[: 4 * (inner + 1)]
        if axes.lengths:
            self._end_rows(sums, axes)
        self._indent = "    "
        for each in sums:
            self._finish_sum(each, stored)

    def _elementwise(self, each: Elementwise, loop: Loop, axes: _Axes, stored: set[str]) -> None:
        kind, number = _TYPES[each.spec.dtype], self._short[each.result]
        elements = [self._element(operand, loop, axes) for operand in each.inputs]
        expression = _OPERAND.sub(lambda found: elements[int(found[1])], each.expression)
        self._line(f"t{number} = {_typed(expression, kind)}")
        if each.result in stored:
            self._line(f"b{number}[{axes.place((True,) * len(loop.shape))}] = t{number}")

    def _element(self, operand: Operand, loop: Loop, axes: _Axes) -> str:
        number = self._short[operand.name]
        if self._specs[operand.name].size == 1 or (self._loop_of.get(operand.name) is loop and all(operand.axes)):
            return f"t{number}"
        return f"b{number}[{axes.place(operand.axes)}]"

    # --- sums ---------------------------------------------------------------------------------------------------------

    def _rows(self, sums: Iterable[Reduction], axes: _Axes) -> list[Reduction]:
        """Sums along the innermost axis that leave more than one number."""
        return [each for each in sums if each.spec.size > 1 and not axes.grouped(each.kept)[-1]]

    def _begin_rows(self, sums: Sequence[Reduction], axes: _Axes) -> None:
        for each in self._rows(sums, axes):
            self._line(f"s{self._short[each.result]} = 0.0")

    def _end_rows(self, sums: Sequence[Reduction], axes: _Axes) -> None:
        for each in self._rows(sums, axes):
            number = self._short[each.result]
            self._line(f"r{number}[{axes.place(each.kept)}] += s{number}")

    def _add_to_sum(self, each: Reduction, loop: Loop, axes: _Axes) -> None:
        number = self._short[each.result]
        element = self._element(each.operands[0], loop, axes)
        if each.spec.size == 1:
            self._line(f"r{number} = added(r{number}, {element})")
        elif not axes.grouped(each.kept)[-1]:
            self._line(f"s{number} = added(s{number}, {element})")
        else:
            self._line(f"r{number}[{axes.place(each.kept)}] += {element}")

    def _finish_sum(self, each: Reduction, stored: set[str]) -> None:
        kind, number = _TYPES[each.spec.dtype], self._short[each.result]
        if each.spec.size == 1:
            self._line(f"t{number} = {kind}(r{number})")
            if each.result in stored:
                self._line(f"b{number}[0] = t{number}")
        else:
            self._line(f"for i in range({each.spec.size}):")
            self._line(f"    b{number}[i] = {kind}(r{number}[i])")


class _Axes:
    """The axes of a loop, neighbours joined where all arrays have both or neither.

    Attributes:
        lengths: Of the joined axes.
    """

    def __init__(self, loop: Loop) -> None:
        patterns = {operand.axes for each in loop.statements for operand in each.operands}
        patterns |= {each.kept for each in loop.statements if isinstance(each, Reduction)}
        self._starts = [
            axis
            for axis in range(len(loop.shape))
            if axis == 0 or any(pattern[axis] != pattern[axis - 1] for pattern in patterns)
        ]
        ends = [*self._starts[1:], len(loop.shape)]
        self.lengths = [prod(loop.shape[a:b]) for a, b in zip(self._starts, ends, strict=False)]

    def grouped(self, pattern: tuple[bool, ...]) -> list[bool]:
        """For each joined axis whether an array has it."""
        return [pattern[start] for start in self._starts]

    def place(self, pattern: tuple[bool, ...]) -> str:
        """Where the element of an array is."""
        step, terms = 1, []
        for level, has in reversed(list(enumerate(self.grouped(pattern)))):
            if has:
                terms.append(f"i{level} * {step}" if step != 1 else f"i{level}")
                step *= self.lengths[level]
        return " + ".join(reversed(terms)) or "0"


def _typed(expression: str, kind: str) -> str:
    """The expression with the elementary functions of a dtype."""
    return re.sub(r"\b(exp|log|sigmoid|tanh)\(", rf"\1_{kind}(", expression)
