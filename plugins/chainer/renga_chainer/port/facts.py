"""What the rules ask of a program, and what they say about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import libcst as cst
from libcst import metadata

__all__ = ["Facts", "Remark", "code", "expression", "parse", "text_of"]


class Remark(NamedTuple):
    """Something to be said about a line of the program.

    Attributes:
        line: Its number in the program as it was.
        what: The piece of it.
        why: What is the matter.
        todo: What to do; empty for a note, which asks for nothing.
    """

    line: int
    what: str
    why: str
    todo: str = ""


@dataclass
class Facts:
    """A program and what is known of it.

    Attributes:
        module: The program, as it was.
        remarks: What has been said.
        needs: Modules that its new spellings need.
        helpers: Names of definitions that its new spellings need (`rules.functions`).
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
        """The dotted path that an expression means by the program's imports: ``chainer.functions.relu``; or empty."""
        inner = node
        while isinstance(inner, cst.Attribute):
            inner = inner.value
        if node is None or not isinstance(inner, cst.Name):  # such as F.relu(x).array, which libcst gives a name too
            return ""
        found = self.names.get(node, ())
        found = found() if callable(found) else found
        paths = [name.name for name in found if name.source is metadata.QualifiedNameSource.IMPORT]
        return paths[0] if len(paths) == 1 else ""

    def chainer(self, node: cst.CSTNode | None) -> str:
        """`path` if it leads into one of Chainer's packages, else empty."""
        path = self.path(node)
        return path if path.partition(".")[0] in ("chainer", "chainermn", "chainercv", "chainerx") else ""

    def line(self, node: cst.CSTNode) -> int:
        """The number of the line on which it begins."""
        return int(self.positions[node].start.line)

    def note(self, node: cst.CSTNode, why: str) -> None:
        """Say what has become otherwise."""
        self._say(node, why, "")

    def left(self, node: cst.CSTNode, why: str, todo: str) -> None:
        """Say what is left for a person to do."""
        self._say(node, why, todo)

    def _say(self, node: cst.CSTNode, why: str, todo: str) -> None:
        what = text_of(node)
        what = what if len(what) <= 60 else what[:57] + "…"
        remark = Remark(self.line(node), what, why, todo)
        if remark not in self.remarks:
            self.remarks.append(remark)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What it is in, from the inside to the outside."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def scope(self, node: cst.CSTNode) -> cst.CSTNode:
        """The function around it, or the module."""
        for outer in self.ancestors(node):
            if isinstance(outer, cst.FunctionDef):
                return outer
        return self.module


def parse(source: str) -> Facts:
    """A program with what libcst knows about it.

    Raises:
        libcst.ParserSyntaxError: It is not a program.
    """
    wrapper = metadata.MetadataWrapper(cst.parse_module(source))
    names: Any = wrapper.resolve(metadata.QualifiedNameProvider)
    positions: Any = wrapper.resolve(metadata.PositionProvider)
    parents: Any = wrapper.resolve(metadata.ParentNodeProvider)
    return Facts(wrapper.module, names, positions, parents)


def code(node: cst.CSTNode) -> str:
    """A node as text."""
    return cst.Module([]).code_for_node(node)


def text_of(node: cst.CSTNode) -> str:
    """A node as one line, for messages."""
    return re.sub(r"\s+", " ", code(node)).strip()


def expression(text: str, like: cst.BaseExpression | None = None) -> Any:
    """An expression from text, in the parentheses of another."""
    made = cst.parse_expression(text)
    return made if like is None else made.with_changes(lpar=like.lpar, rpar=like.rpar)
