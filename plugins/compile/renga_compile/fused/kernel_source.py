"""The loops of a group as Python source for numba, one function per stage.

Arrays are pointers; their positions are sums of loop variables times constants. An array that only its
own loop reads is a local variable. An array with a single element is a local variable in its stage.

Sums are accumulated in double precision, from the first element to the last, and rounded once; in the innermost loop
the compiler may divide a sum among vector lanes. If threads share a loop, each of its pieces has its own sums, which
are added in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from renga_compile.fused.groups import Group
from renga_compile.fused.loops import Axes, Loop, loops_of
from renga_compile.fused.stages import Stage, stages_of
from renga_compile.fused.statements import Elementwise, Operand, Reduction, Spec, View

__all__ = ["StageSource", "sources_of"]

_TYPES = {np.dtype(np.float32): "f4", np.dtype(np.float64): "f8"}
_OPERAND = re.compile(r"\b_(\d+)\b")


@dataclass(frozen=True)
class StageSource:
    """Source of a stage.

    Attributes:
        text: A function ``kernel(piece, …)``, whose arguments are pointers.
        signature: Types of the arguments: ``f4*``, ``f8*``.
        arguments: Names of the arrays; arrays that are neither inputs nor outputs of the group are temporary.
        sizes: Size of each argument in bytes.
        pieces: Number of pieces.
    """

    text: str
    signature: str
    arguments: tuple[str, ...]
    sizes: tuple[int, ...]
    pieces: int


def sources_of(group: Group, specs: Mapping[str, Spec]) -> list[StageSource]:
    """Return the stages of a group, in order.

    Args:
        group: What is computed.
        specs: Of its arrays, by name.
    """
    loops = loops_of([each for each in group.statements if not isinstance(each, View)])
    stages = stages_of(loops, specs)
    made_in = {each.result: loop for loop in loops for each in loop.statements}
    stage_of = {each.result: stage for stage in stages for loop in stage.loops for each in loop.statements}
    stage_of |= {each.result: stage for stage in stages for each in stage.merged}
    stored = {each.result for each in group.outputs}
    for stage in stages:
        for loop in stage.loops:
            names = {operand.name for each in loop.statements for operand in each.operands}
            others = [name for name in names & made_in.keys() if made_in[name] is not loop]
            stored.update([name for name in others if specs[name].size > 1 or stage_of[name] is not stage])
    numbers = {name: str(number) for number, name in enumerate([*group.inputs, *made_in])}
    return [_Source(stage, specs, numbers, stored).source() for stage in stages]


class _Source:
    def __init__(self, stage: Stage, specs: Mapping[str, Spec], numbers: Mapping[str, str], stored: set[str]) -> None:
        self._stage = stage
        self._specs = specs
        self._numbers = numbers
        self._stored = stored
        self._loop_of = {each.result: loop for loop in stage.loops for each in loop.statements}
        self._merged = {each.result for each in stage.merged}
        self._arguments: dict[str, tuple[str, str, int]] = {}  # name in the source, type and bytes, by array
        self._loaded: list[str] = []
        self._lines: list[str] = []
        self._indent = "    "

    def source(self) -> StageSource:
        for each in self._stage.merged:
            self._merge(each)
        for loop in self._stage.loops:
            self._loop(loop)
        names, types, sizes = zip(*self._arguments.values(), strict=True)
        text = "\n".join([f"def kernel(piece, {', '.join(names)}):", *self._loaded, *self._lines, ""])
        return StageSource(text, " ".join(types), tuple(self._arguments), sizes, self._stage.pieces)

    def _line(self, text: str) -> None:
        self._lines.append(self._indent + text)

    # --- arrays -------------------------------------------------------------------------------------------------------

    def _array(self, name: str) -> str:
        """Return the pointer to an array."""
        if name not in self._arguments:
            spec, own = self._specs[name], f"b{self._numbers[name]}"
            self._arguments[name] = own, f"{_TYPES[spec.dtype]}*", spec.size * spec.dtype.itemsize
            if spec.size == 1 and name not in self._loop_of and name not in self._merged:
                self._loaded.append(f"    t{self._numbers[name]} = {own}[0]")
        return self._arguments[name][0]

    def _sums(self, each: Reduction, pieces: int) -> str:
        """Return the pointer to sums in double precision."""
        own = f"r{self._numbers[each.result]}"
        self._arguments[f"sums of {each.result}"] = own, "f8*", 8 * pieces * each.spec.size
        return own

    # --- a loop -------------------------------------------------------------------------------------------------------

    def _loop(self, loop: Loop) -> None:
        sums = [each for each in loop.statements if isinstance(each, Reduction)]
        axes, pieces = Axes(loop), self._stage.pieces
        if pieces > 1:
            self._line(f"low = piece * {axes.lengths[0]} // {pieces}")
            self._line(f"high = (piece + 1) * {axes.lengths[0]} // {pieces}")
        for each in sums:
            self._begin_sum(each, axes)
        inner = len(axes.lengths) - 1
        for level, length in enumerate(axes.lengths):
            if level == inner:
                self._begin_rows(sums, axes)
            self._line(f"for i{level} in range({'low, high' if pieces > 1 and level == 0 else length}):")
            self._indent += "    "
        for statement in loop.statements:
            if isinstance(statement, Elementwise):
                self._elementwise(statement, loop, axes)
            elif isinstance(statement, Reduction):
                self._add_to_sum(statement, loop, axes)
        self._indent = self._indent[: 4 * (inner + 1)]
        if axes.lengths:
            self._end_rows(sums, axes)
        self._indent = "    "
        for each in sums:
            self._finish_sum(each, axes)

    def _elementwise(self, each: Elementwise, loop: Loop, axes: Axes) -> None:
        kind, number = _TYPES[each.spec.dtype], self._numbers[each.result]
        elements = [self._element(operand, loop, axes) for operand in each.inputs]
        expression = _OPERAND.sub(lambda found: elements[int(found[1])], each.expression)
        self._line(f"t{number} = {_typed(expression, kind)}")
        if each.result in self._stored:
            self._line(f"{self._array(each.result)}[{axes.ordered((True,) * len(loop.shape))}] = t{number}")

    def _element(self, operand: Operand, loop: Loop, axes: Axes) -> str:
        name = operand.name
        number = self._numbers[name]
        if self._loop_of.get(name) is loop and operand.whole:
            return f"t{number}"
        if self._specs[name].size == 1:
            if name not in self._loop_of and name not in self._merged:
                self._array(name)
            element = f"t{number}"
        else:
            element = f"{self._array(name)}[{axes.place(operand)}]"
        zero = f"{_TYPES[self._specs[name].dtype]}(0)"
        return f"({element} if {axes.inside(operand)} else {zero})" if operand.bounds else element

    # --- sums ---------------------------------------------------------------------------------------------------------

    def _rows(self, sums: Iterable[Reduction], axes: Axes) -> list[Reduction]:
        """Return the sums along the innermost axis that have more than one element."""
        return [each for each in sums if each.spec.size > 1 and not axes.grouped(each.kept)[-1]]

    def _range(self, each: Reduction, axes: Axes) -> str:
        """Return the range of sums that a piece computes."""
        if self._stage.pieces == 1 or not axes.grouped(each.kept)[0]:
            return f"{each.spec.size}"
        step = each.spec.size // axes.lengths[0]
        return f"low * {step}, high * {step}"

    def _at(self, each: Reduction, axes: Axes, place: str) -> str:
        """Return the sum at a position; if each piece has its own sums, that of the piece."""
        own = self._numbers[each.result]
        apart = self._stage.pieces > 1 and not axes.grouped(each.kept)[0]
        return f"r{own}[piece * {each.spec.size} + {place}]" if apart else f"r{own}[{place}]"

    def _begin_sum(self, each: Reduction, axes: Axes) -> None:
        if each.spec.size == 1:
            self._line(f"r{self._numbers[each.result]}_ = 0.0")
        else:
            apart = self._stage.pieces > 1 and not axes.grouped(each.kept)[0]
            self._sums(each, self._stage.pieces if apart else 1)
            self._line(f"for i in range({self._range(each, axes)}):")
            self._line(f"    {self._at(each, axes, 'i')} = 0.0")

    def _begin_rows(self, sums: Sequence[Reduction], axes: Axes) -> None:
        for each in self._rows(sums, axes):
            self._line(f"s{self._numbers[each.result]} = 0.0")

    def _end_rows(self, sums: Sequence[Reduction], axes: Axes) -> None:
        for each in self._rows(sums, axes):
            self._line(f"{self._at(each, axes, axes.ordered(each.kept))} += s{self._numbers[each.result]}")

    def _add_to_sum(self, each: Reduction, loop: Loop, axes: Axes) -> None:
        number = self._numbers[each.result]
        element = self._element(each.operands[0], loop, axes)
        if each.spec.size == 1:
            self._line(f"r{number}_ = added(r{number}_, {element})")
        elif not axes.grouped(each.kept)[-1]:
            self._line(f"s{number} = added(s{number}, {element})")
        else:
            self._line(f"{self._at(each, axes, axes.ordered(each.kept))} += {element}")

    def _finish_sum(self, each: Reduction, axes: Axes) -> None:
        number = self._numbers[each.result]
        if each.spec.size == 1 and self._stage.pieces > 1:
            self._line(f"{self._sums(each, self._stage.pieces)}[piece] = r{number}_")
        elif each.spec.size == 1:
            self._finish_number(each)
        elif self._stage.pieces == 1 or axes.grouped(each.kept)[0]:
            self._round(each, self._range(each, axes))

    def _finish_number(self, each: Reduction) -> None:
        kind, number = _TYPES[each.spec.dtype], self._numbers[each.result]
        self._line(f"t{number} = {kind}(r{number}_)")
        if each.result in self._stored:
            self._line(f"{self._array(each.result)}[0] = t{number}")

    def _round(self, each: Reduction, over: str) -> None:
        kind, number = _TYPES[each.spec.dtype], self._numbers[each.result]
        self._line(f"for i in range({over}):")
        self._line(f"    {self._array(each.result)}[i] = {kind}(r{number}[i])")

    def _merge(self, each: Reduction) -> None:
        """Add the partial sums of the pieces of the previous stage."""
        size, parts = each.spec.size, self._stage.parts
        sums = self._sums(each, parts)
        if size == 1:
            self._line(f"{sums}_ = 0.0")
            self._line(f"for p in range({parts}):")
            self._line(f"    {sums}_ += {sums}[p]")
            self._finish_number(each)
        else:
            self._line(f"for p in range(1, {parts}):")
            self._line(f"    for i in range({size}):")
            self._line(f"        {sums}[i] += {sums}[p * {size} + i]")
            self._round(each, f"{size}")


def _typed(expression: str, kind: str) -> str:
    """Return the expression with the elementary functions of a dtype."""
    return re.sub(r"\b(exp|log|sigmoid|tanh)\(", rf"\1_{kind}(", expression)
