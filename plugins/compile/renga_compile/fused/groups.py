"""Which statements become one compiled function."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from renga_compile.fused.reader import read
from renga_compile.fused.statements import Arithmetic, Call, Elementwise, Spec
from renga_compile.replay.program import Program

__all__ = ["Group", "grouped"]

_MOST = 2000  # statements of one function: numba takes seconds for a thousand
_SMALL = 4096  # elements of an array for which the call of a function takes longer than its arithmetic


@dataclass
class Group:
    """Statements that are computed together, and the arrays among their results that others read."""

    statements: list[Arithmetic]
    outputs: list[Arithmetic]

    @property
    def inputs(self) -> list[str]:
        """Names of the arrays that it reads, in order of their use."""
        made = {statement.result for statement in self.statements}
        names = dict.fromkeys([operand.name for each in self.statements for operand in each.operands])
        return [name for name in names if name not in made]

    @property
    def worthwhile(self) -> bool:
        """Whether to compile it: it saves memory traffic, or calls."""
        computing = [each for each in self.statements if not (isinstance(each, Elementwise) and each.copies)]
        small = any(each.function is not None and each.spec.size <= _SMALL for each in computing)
        return len(computing) > 1 or small


def grouped(program: Program) -> tuple[list[Group | Call], dict[str, Spec]]:
    """The statements of a program, in groups, and what is known of its arrays.

    A statement waits until a call needs an array of those that wait. Then all that wait become a group. A function that
    would be compiled alone remains a call.
    """
    calls: set[str] = set()
    while True:
        statements, specs = read(program, calls)
        found = _waiting(statements)
        alone = {
            statement.function
            for group in found
            if isinstance(group, Group) and not group.worthwhile
            for statement in group.statements
            if statement.function is not None
        }
        if not alone:
            return found, specs
        calls |= alone


def _waiting(statements: Iterable[Arithmetic | Call]) -> list[Group | Call]:
    found: list[Group | Call] = []
    waiting: list[Arithmetic] = []
    made: set[str] = set()

    def compute() -> None:
        for start in range(0, len(waiting), _MOST):
            found.append(Group(waiting[start : start + _MOST], []))
        waiting.clear()
        made.clear()

    for statement in statements:
        if isinstance(statement, Arithmetic):
            waiting.append(statement)
            made.add(statement.result)
            continue
        if statement.needs_all or statement.reads & made:
            compute()
        found.append(statement)
    compute()
    _note_outputs(found)
    return found


def _note_outputs(found: list[Group | Call]) -> None:
    needed: set[str] = set()
    for each in reversed(found):
        if isinstance(each, Group):
            each.outputs = [statement for statement in each.statements if statement.result in needed]
            needed.update(each.inputs)
        else:
            needed |= each.reads
