"""One program from Chainer to Renga."""

from __future__ import annotations

from typing import Any, NamedTuple

import libcst as cst

from renga_chainer.port.facts import Facts, Remark, parse
from renga_chainer.port.imports import rewrite_imports
from renga_chainer.port.rules import RULES

__all__ = ["Ported", "port"]


class Ported(NamedTuple):
    """A program that has been rewritten.

    Attributes:
        source: Its text.
        left: What a person has to do.
        notes: What has become otherwise.
    """

    source: str
    left: list[Remark]
    notes: list[Remark]


def port(source: str) -> Ported:
    """A program for Chainer as one for Renga; one that does not import Chainer as it is.

    Raises:
        libcst.ParserSyntaxError: It is not a program of Python's.
    """
    if not any(name in source for name in ("chainer", "chainermn", "chainercv")):
        return Ported(source, [], [])
    facts = parse(source)
    module: Any = facts.module.visit(_Rewriter(facts))
    module = rewrite_imports(facts, module)
    remarks = sorted(facts.remarks)
    return Ported(module.code, [r for r in remarks if r.todo], [r for r in remarks if not r.todo])


class _Rewriter(cst.CSTTransformer):
    """Applies `RULES`, from the inside to the outside. Imports are not looked into."""

    def __init__(self, facts: Facts) -> None:
        super().__init__()
        self._facts = facts

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Apply the rules for the type of the node."""
        updated = super().on_leave(original_node, updated_node)
        for rule in RULES.get(type(original_node), ()):
            if not isinstance(updated, cst.CSTNode):
                break
            updated = rule(self._facts, original_node, updated)
        return updated
