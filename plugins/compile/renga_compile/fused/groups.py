"""Which statements become one compiled function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from renga_compile.fused.reader import read
from renga_compile.fused.statements import Arithmetic, Call, Spec
from renga_compile.replay.program import Program

__all__ = ["Group", "grouped"]

_MOST = 2000  # statements of one function: numba takes seconds for a thousand
_SMALL = 4096  # elements of an array for which calling a function takes longer than its arithmetic


@dataclass
class Group:
    """Statements that are computed together, and those whose results others read."""

    statements: list[Arithmetic]
    outputs: list[Arithmetic] = field(default_factory=list)

    @property
    def inputs(self) -> list[str]:
        """Names of the arrays that it reads, in order of their use."""
        made = {statement.result for statement in self.statements}
        names = dict.fromkeys([operand.name for each in self.statements for operand in each.operands])
        return [name for name in names if name not in made]


def grouped(program: Program) -> tuple[list[Group | Call], dict[str, Spec]]:
    """The statements of a program, in groups, and what is known of its arrays.

    A statement waits until a call needs an array of those that wait. Then all that wait become a group, but for those
    that gain nothing: an operation on large arrays of which no other one needs or makes an operand stays a call.
    """
    calls: set[str] = set()
    while True:
        statements, specs, refused = read(program, calls)
        parts, alone = _waiting(statements)
        alone |= refused
        if not alone:
            return _with_outputs(parts), specs
        # What a function keeps for its gradients is made by its forward.
        calls |= alone | {f"{call.partition('.')[0]}.forward" for call in alone}


def _waiting(statements: Iterable[Arithmetic | Call]) -> tuple[list[Group | Arithmetic | Call], set[str]]:
    """Groups, statements that are to be lines, calls; and the calls that are to replace statements."""
    parts: list[Group | Arithmetic | Call] = []
    alone: set[str] = set()
    waiting: list[Arithmetic] = []
    made: set[str] = set()

    def compute() -> None:
        single = _single(waiting)
        alone.update(each.call for each in single if each.call)
        parts.extend(single)
        rest = [each for each in waiting if each not in single]
        parts.extend(Group(rest[start : start + _MOST]) for start in range(0, len(rest), _MOST))
        waiting.clear()
        made.clear()

    for statement in statements:
        if isinstance(statement, Arithmetic):
            waiting.append(statement)
            made.add(statement.result)
            continue
        if statement.needs_all or statement.reads & made:
            compute()
        parts.append(statement)
    compute()
    return parts, alone


def _single(statements: Sequence[Arithmetic]) -> list[Arithmetic]:
    """Those that gain nothing by being compiled: in none of whose neighbours anything is computed either."""
    leader: dict[str, str] = {each.result: each.result for each in statements}

    def first(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for each in statements:
        for operand in each.operands:
            if operand.name in leader:
                leader[first(operand.name)] = first(each.result)
    computing: dict[str, int] = {}
    for each in statements:
        size = 2 if _elements(each) <= _SMALL else 1
        computing[first(each.result)] = computing.get(first(each.result), 0) + (0 if each.copies else size)
    return [each for each in statements if computing[first(each.result)] < 2]


def _elements(statement: Arithmetic) -> int:
    size = 1
    for length in statement.loop_shape:
        size *= length
    return size


def _with_outputs(parts: Sequence[Group | Arithmetic | Call]) -> list[Group | Call]:
    """The parts, in which groups know their outputs, and single statements are lines."""
    found: list[Group | Call] = []
    needed: set[str] = set()
    for each in reversed(parts):
        if isinstance(each, Group):
            each.outputs = [statement for statement in each.statements if statement.result in needed]
            needed.update(each.inputs)
            found.append(each)
        elif isinstance(each, Call):
            needed |= each.reads
            found.append(each)
        else:
            changed = each.operands[0].name
            if each.in_place and changed not in needed and changed[0] in "vg":
                found += [Call(f"{each.result} = {changed}"), Call(each.in_place)]
            else:
                found.append(Call(each.text))
            needed |= each.reads
    return found[::-1]
