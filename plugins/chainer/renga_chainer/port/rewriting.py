"""Rewrites one program from Chainer to Renga."""

from __future__ import annotations

from typing import Any, NamedTuple

import libcst as cst

from renga_chainer.port.facts import Facts, Remark, parse
from renga_chainer.port.imports import rewrite_imports
from renga_chainer.port.rules import RULES

__all__ = ["Ported", "port"]


class Ported(NamedTuple):
    """A rewritten program.

    Attributes:
        source: Source text.
        left: Remarks about what is left to do by hand.
        notes: Remarks about changes.
    """

    source: str
    left: list[Remark]
    notes: list[Remark]


def port(source: str) -> Ported:
    """Rewrite a program for Chainer. A program that does not import Chainer stays unchanged.

    Raises:
        libcst.ParserSyntaxError: It is not valid Python.
    """
    if not any(name in source for name in ("chainer", "chainermn", "chainercv")):
        return Ported(source, [], [])
    facts = parse(source)
    module: Any = facts.module.visit(_Rewriter(facts))
    module = rewrite_imports(facts, module)
    remarks = sorted(facts.remarks)
    return Ported(module.code, [r for r in remarks if r.todo], [r for r in remarks if not r.todo])


class _Rewriter(cst.CSTTransformer):
    """Applies `RULES`, from the inside to the outside, except inside imports."""

    def __init__(self, facts: Facts) -> None:
        super().__init__()
        self._facts = facts

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Apply the rules for this type of node."""
        updated = super().on_leave(original_node, updated_node)
        for rule in RULES.get(type(original_node), ()):
            if not isinstance(updated, cst.CSTNode):
                break
            updated = rule(self._facts, original_node, updated)
        return updated
