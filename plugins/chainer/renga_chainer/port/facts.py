"""Analysis of a program for the rules, and their remarks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import libcst as cst
from libcst import metadata

__all__ = ["Facts", "Remark", "code", "expression", "parse", "text_of"]


class Remark(NamedTuple):
    """A remark about a line of the program.

    Attributes:
        line: Number of the line in the original program.
        what: The piece of source text.
        why: The problem.
        todo: What to do; empty for a note, which requires nothing.
    """

    line: int
    what: str
    why: str
    todo: str = ""


@dataclass
class Facts:
    """A program and its analysis.

    Attributes:
        module: The original program.
        remarks: All remarks so far.
        needs: Modules that the rewritten program must import.
        helpers: Names of helper definitions that the rewritten program needs (`rules.functions`).
    """

    module: cst.Module
    names: Mapping[cst.CSTNode, Any]
    positions: Mapping[cst.CSTNode, Any]
    parents: Mapping[cst.CSTNode, cst.CSTNode]
    remarks: list[Remark] = field(default_factory=list)
    needs: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)
    memory: dict[str, Any] = field(default_factory=dict)

    def path(self, node: cst.CSTNode | None) -> str:
        """Resolve an expression by the program's imports: ``chainer.functions.relu``; empty if unknown."""
        inner = node
        while isinstance(inner, cst.Attribute):
            inner = inner.value
        if node is None or not isinstance(inner, cst.Name):  # F.relu(x).array, for example, which libcst also names
            return ""
        found = self.names.get(node, ())
        found = found() if callable(found) else found
        paths = [name.name for name in found if name.source is metadata.QualifiedNameSource.IMPORT]
        return paths[0] if len(paths) == 1 else ""

    def chainer(self, node: cst.CSTNode | None) -> str:
        """Return `path` if it is in one of Chainer's packages, else empty."""
        path = self.path(node)
        return path if path.partition(".")[0] in ("chainer", "chainermn", "chainercv", "chainerx") else ""

    def line(self, node: cst.CSTNode) -> int:
        """Return the line number where the node begins."""
        return int(self.positions[node].start.line)

    def note(self, node: cst.CSTNode, why: str) -> None:
        """Add a note about a change."""
        self._say(node, why, "")

    def left(self, node: cst.CSTNode, why: str, todo: str) -> None:
        """Add a remark about something left to do by hand."""
        self._say(node, why, todo)

    def _say(self, node: cst.CSTNode, why: str, todo: str) -> None:
        what = text_of(node)
        what = what if len(what) <= 60 else what[:57] + "…"
        remark = Remark(self.line(node), what, why, todo)
        if remark not in self.remarks:
            self.remarks.append(remark)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the enclosing nodes, from the inside to the outside."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def scope(self, node: cst.CSTNode) -> cst.CSTNode:
        """Return the enclosing function, or the module."""
        for outer in self.ancestors(node):
            if isinstance(outer, cst.FunctionDef):
                return outer
        return self.module


def parse(source: str) -> Facts:
    """Parse a program with libcst's metadata.

    Raises:
        libcst.ParserSyntaxError: It is not valid Python.
    """
    wrapper = metadata.MetadataWrapper(cst.parse_module(source))
    names: Any = wrapper.resolve(metadata.QualifiedNameProvider)
    positions: Any = wrapper.resolve(metadata.PositionProvider)
    parents: Any = wrapper.resolve(metadata.ParentNodeProvider)
    return Facts(wrapper.module, names, positions, parents)


def code(node: cst.CSTNode) -> str:
    """Return a node's source text."""
    return cst.Module([]).code_for_node(node)


def text_of(node: cst.CSTNode) -> str:
    """Return a node's source text in one line, for messages."""
    return re.sub(r"\s+", " ", code(node)).strip()


def expression(text: str, like: cst.BaseExpression | None = None) -> Any:
    """Parse an expression; it gets the parentheses of another one."""
    made = cst.parse_expression(text)
    return made if like is None else made.with_changes(lpar=like.lpar, rpar=like.rpar)
