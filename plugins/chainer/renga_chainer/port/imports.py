"""Rewrites import statements, after the rest of the program."""

from __future__ import annotations

from typing import Any

import libcst as cst
import libcst.matchers as m

from renga_chainer.port.equivalents import advice, equivalent
from renga_chainer.port.facts import Facts, code

__all__ = ["rewrite_imports"]

_ROOTS = ("chainer", "chainermn", "chainercv", "chainerx")


def rewrite_imports(facts: Facts, module: cst.Module) -> cst.Module:
    """Return the module with imports of Renga, and with helper definitions that the rewritten program needs.

    Unused imports are removed. Imports without an equivalent stay, with a remark.
    """
    rewriter = _Imports(facts, module)
    rewritten: Any = module.visit(rewriter)
    return _with_helpers(facts, rewriter.with_needs(rewritten))


class _Imports(cst.CSTTransformer):
    def __init__(self, facts: Facts, module: cst.Module) -> None:
        super().__init__()
        self._facts = facts
        self._used = _used(module)
        self._text = code(module)
        self._depth = 0
        self._made: set[str] = set()

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self._depth += 1

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: Any) -> Any:
        self._depth -= 1
        return updated_node

    def leave_SimpleStatementLine(self, original_node: cst.SimpleStatementLine, updated_node: Any) -> Any:
        if not any(isinstance(part, (cst.Import, cst.ImportFrom)) for part in original_node.body):
            return updated_node
        parts: list[cst.BaseSmallStatement] = []
        for part in original_node.body:
            if isinstance(part, cst.Import):
                parts += self._import(part)
            elif isinstance(part, cst.ImportFrom):
                parts += self._from(part)
            else:
                parts.append(part)
        if list(original_node.body) == parts:
            return updated_node
        parts = [part for i, part in enumerate(parts) if code(part) not in {code(before) for before in parts[:i]}]
        if not self._depth:
            parts = [part for part in parts if code(part) not in self._made]
            self._made |= {code(part) for part in parts}
        if not parts:
            return cst.RemoveFromParent()
        first = updated_node.with_changes(body=[parts[0].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)])
        rest = [cst.SimpleStatementLine([part]) for part in parts[1:]]
        lines = [first.with_changes(trailing_whitespace=cst.TrailingWhitespace()), *rest] if rest else [first]
        lines[-1] = lines[-1].with_changes(trailing_whitespace=updated_node.trailing_whitespace)
        return cst.FlattenSentinel(lines)

    def _import(self, node: cst.Import) -> list[cst.BaseSmallStatement]:
        """Split ``import chainer.links as L`` into one statement per module, if any module is Chainer's."""
        if not any(_root(alias.evaluated_name) for alias in node.names):
            return [node]
        made: list[cst.BaseSmallStatement] = []
        for alias in node.names:
            path, local = alias.evaluated_name, alias.evaluated_alias
            if not _root(path):
                made.append(_statement(f"import {path}" + (f" as {local}" if local else "")))
                continue
            target = equivalent(path)
            if target is not None:
                made.append(_statement(f"import {target}" + (f" as {local}" if local else "")))
            elif not local and path.partition(".")[0] == "chainer":  # its names now begin with `renga`
                made.append(_statement("import renga"))
            elif (local or path.partition(".")[0]) in self._used:
                self._no_home(node, path)
                made.append(_statement(f"import {path}" + (f" as {local}" if local else "")))
        return made

    def _from(self, node: cst.ImportFrom) -> list[cst.BaseSmallStatement]:
        """Rewrite ``from chainer import training, Variable``, grouped by Renga's modules."""
        module = code(node.module) if node.module is not None and not node.relative else ""
        if not _root(module):
            return [node]
        if isinstance(node.names, cst.ImportStar):
            target = equivalent(module)
            if target is None:
                self._no_home(node, module)
                return [node]
            return [node.with_changes(module=_dotted(target))]
        groups: dict[str, list[cst.ImportAlias]] = {}
        for alias in node.names:
            path, local = f"{module}.{alias.evaluated_name}", alias.evaluated_alias or alias.evaluated_name
            target = equivalent(path)
            if target is None:
                if local in self._used:
                    self._no_home(node, path)
                    groups.setdefault(module, []).append(alias)
                continue
            parent, _, name = target.rpartition(".")
            as_name = cst.AsName(cst.Name(local)) if local != name else None
            groups.setdefault(parent, []).append(alias.with_changes(name=cst.Name(name), asname=as_name))
        if len(groups) == 1 and len(next(iter(groups.values()))) == len(node.names):
            (parent, aliases), = groups.items()  # fmt: skip
            return [node.with_changes(module=_dotted(parent), names=aliases)]  # keeps the layout
        return [
            cst.ImportFrom(_dotted(parent), [alias.with_changes(comma=cst.MaybeSentinel.DEFAULT) for alias in aliases])
            for parent, aliases in groups.items()
        ]

    def _no_home(self, node: cst.CSTNode, path: str) -> None:
        if not any(path in remark.why for remark in self._facts.remarks):
            self._facts.left(node, f"Renga has no {path}", advice(path))

    def with_needs(self, module: cst.Module) -> cst.Module:
        """Return additional imports, to be put before the first import of Renga."""
        lines = [f"import {name}" for name in sorted(self._facts.needs)]
        used = _used(module)
        present = {line.strip() for line in module.code.splitlines() if not line.startswith((" ", "\t"))}
        wanted = [
            line for line in lines if line not in present and line.removeprefix("import ").partition(".")[0] in used
        ]
        if not wanted and not ("ArrayFunction" in self._facts.helpers and "import renga" not in present):
            return module
        if "ArrayFunction" in self._facts.helpers and "import renga" not in {*present, *wanted}:
            wanted.append("import renga")
        body = list(module.body)
        at = _first_import(body)
        new: list[Any] = [cst.parse_statement(line) for line in wanted]
        if at < len(body) and isinstance(body[at], cst.SimpleStatementLine):
            new[0] = new[0].with_changes(leading_lines=body[at].leading_lines)
            body[at] = body[at].with_changes(leading_lines=[])
        body[at:at] = new
        return module.with_changes(body=body)


def _with_helpers(facts: Facts, module: cst.Module) -> cst.Module:
    """Return helper definitions, to be put after the imports."""
    if "ArrayFunction" not in facts.helpers:
        return module
    from renga_chainer.port.rules.functions import HELPER

    body = list(module.body)
    at = max((i + 1 for i, statement in enumerate(body) if _is_import(statement)), default=0)
    helper: Any = cst.parse_statement(HELPER)
    body.insert(at, helper.with_changes(leading_lines=[cst.EmptyLine(indent=False)] * 2))
    return module.with_changes(body=body)


def _used(module: cst.Module) -> set[str]:
    """Return the names that the module uses, without imports and attributes."""
    users = _Users()
    module.visit(users)
    return users.names


class _Users(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False


def _root(path: str) -> bool:
    return path.partition(".")[0] in _ROOTS


def _is_import(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(part, (cst.Import, cst.ImportFrom)) for part in statement.body
    )


def _first_import(body: list[Any]) -> int:
    """Return the position of the first import of Renga; else after the docstring and ``from __future__``."""
    for i, statement in enumerate(body):
        if _is_import(statement) and "renga" in code(statement):
            return i
    at = 0
    for i, statement in enumerate(body):
        if m.matches(statement, m.SimpleStatementLine([m.Expr(m.SimpleString())])) or "__future__" in code(statement):
            at = i + 1
        else:
            break
    return at


def _statement(text: str) -> cst.BaseSmallStatement:
    line = cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine)
    return line.body[0]


def _dotted(path: str) -> Any:
    return cst.parse_expression(path)
