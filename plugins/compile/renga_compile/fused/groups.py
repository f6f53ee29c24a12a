"""Divides statements into groups; each group becomes one compiled function."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from renga_compile.fused.reader import read
from renga_compile.fused.statements import LOCAL, Arithmetic, Call, Spec, View
from renga_compile.fused.worth import Worth
from renga_compile.replay.program import Program

__all__ = ["Group", "grouped"]

_MOST = 2000  # largest number of statements of a function: numba needs seconds for a thousand
_HELD = 1 << 20  # largest number of bytes of arrays that are kept for waiting statements


@dataclass
class Group:
    """Statements that are computed together.

    Attributes:
        statements: In order.
        outputs: Statements whose results are used outside of the group.
        views: Views that are used outside of the group; they are created after the computation.
    """

    statements: list[Arithmetic]
    outputs: list[Arithmetic] = field(default_factory=list)
    views: list[View] = field(default_factory=list)

    @property
    def inputs(self) -> list[str]:
        """Names of the input arrays, in order of use."""
        made = {statement.result for statement in self.statements}
        loops = [each for each in self.statements if not isinstance(each, View)]
        names = dict.fromkeys([operand.name for each in loops for operand in each.operands])
        return [name for name in names if name not in made]


def grouped(program: Program) -> tuple[list[Group | Call], dict[str, Spec]]:
    """Groups of a program's statements, and properties of its arrays.

    A statement waits until a call needs its result, or until waiting statements hold much memory. Then the statements
    that gain from compilation become a group; see `renga_compile.fused.worth`. The other statements remain lines at
    their places.
    """
    lines: set[str] = set()
    while True:
        statements, specs, refused = read(program, lines)
        parts, more = _waiting(statements, specs, lines)
        more |= refused
        if not more:
            return _with_outputs(parts), specs
        # Arrays that a function keeps for its gradients come from its forward.
        lines |= more | {f"{line.partition('.')[0]}.forward" for line in more if line.endswith(".backward_arrays")}


def _waiting(
    statements: Sequence[Arithmetic | Call], specs: dict[str, Spec], lines: Collection[str]
) -> tuple[list[Group | Arithmetic | Call], set[str]]:
    """The groups, single statements and calls; and the other statements that must be lines."""
    worth = Worth(statements, specs)
    parts: list[Group | Arithmetic | Call] = []
    more: set[str] = set()
    waiting: list[Arithmetic] = []
    made: set[str] = set()

    def compute() -> None:
        chosen = worth.compiled(waiting)
        results = {each.result for each in chosen}
        more.update([each.key for each in waiting if each.result not in results])
        parts.extend(Group(chosen[start : start + _MOST]) for start in range(0, len(chosen), _MOST))
        waiting.clear()
        made.clear()

    def held() -> int:
        names = {name for each in waiting for name in each.reads if name[0] in "vg"} - made
        return sum([specs[name].size * specs[name].dtype.itemsize for name in names])

    def ends(line: Arithmetic | Call) -> bool:
        return isinstance(line, Call) and (line.needs_all or (line.computes and held() > _HELD))

    for statement in statements:
        if isinstance(statement, Arithmetic) and statement.key not in lines:
            waiting.append(statement)
            made.add(statement.result)
            continue
        if _needs(statement) & made or ends(statement):
            compute()
        parts.append(statement)
    compute()
    return parts, more


def _with_outputs(parts: Sequence[Group | Arithmetic | Call]) -> list[Group | Call]:
    """The parts: groups with their outputs, and lines for single statements."""
    found: list[Group | Call] = []
    needed: set[str] = set()
    for each in reversed(parts):
        if isinstance(each, Group):
            for statement in reversed(each.statements):
                if isinstance(statement, View) and statement.result in needed:
                    needed.add(statement.source)
                    each.views.insert(0, statement)
                elif statement.result in needed:
                    each.outputs.insert(0, statement)
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
            needed |= _needs(each)
    return found[::-1]


def _needs(line: Arithmetic | Call) -> set[str]:
    """Return the arrays that must be in memory for a line; loops read the base of a view instead of the view."""
    return line.reads if isinstance(line, Call) else {*LOCAL.findall(line.text.partition(" = ")[2])}
