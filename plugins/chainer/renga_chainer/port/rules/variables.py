"""Rewrites ``x.data`` of Variables to `x.array`."""

from __future__ import annotations

from typing import Any

import libcst as cst
import libcst.matchers as m

from renga_chainer.port.facts import Facts, code, expression

__all__ = ["data", "floor_division"]

_FUNCTIONS = ("chainer.functions.",)
_MAKERS = ("chainer.Variable", "chainer.Parameter", "chainer.as_variable", "chainer.variable.Variable")
_OTHERS = ("args", "opts", "options", "config", "self")


def data(facts: Facts, original: cst.Attribute, updated: Any) -> Any:
    """Rewrite it if it surely is a Variable; otherwise keep it, because Renga's have `data`, too."""
    if original.attr.value != "data" or facts.path(original) or not isinstance(updated, cst.Attribute):
        return updated
    if _is_variable(facts, original.value, original):
        return updated.with_changes(attr=cst.Name("array"))
    return updated


def floor_division(facts: Facts, original: cst.BinaryOperation, updated: Any) -> Any:
    """Rewrite ``x // y`` of Variables to ``F.floor(x / y)``; Chainer supports no other operands."""
    if not isinstance(original.operator, cst.FloorDivide) or not _is_variable(facts, original, original):
        return updated
    facts.needs.add("renga")
    return expression(f"renga.functions.floor({code(updated.left)} / {code(updated.right)})")


def _is_variable(facts: Facts, node: cst.BaseExpression, place: cst.CSTNode) -> bool:
    if isinstance(node, cst.Call):
        path = facts.chainer(node.func)
        return path.startswith(_FUNCTIONS) or path in _MAKERS
    if isinstance(node, cst.BinaryOperation):
        return _is_variable(facts, node.left, place) or _is_variable(facts, node.right, place)
    if isinstance(node, cst.Name) and node.value not in _OTHERS:
        given = _given(facts).get((facts.scope(place), node.value), [])
        return bool(given) and all(made for made in given)
    return False


def _given(facts: Facts) -> dict[tuple[cst.CSTNode, str], list[bool]]:
    """For each name in each function, tell for each assigned value whether it surely is a Variable."""
    if "given" in facts.memory:
        known: dict[tuple[cst.CSTNode, str], list[bool]] = facts.memory["given"]
        return known
    given: dict[tuple[cst.CSTNode, str], list[bool]] = {}
    facts.memory["given"] = given
    for node in m.findall(facts.module, m.Assign() | m.For() | m.CompFor() | m.Param() | m.WithItem()):
        if isinstance(node, cst.Assign):
            for target in node.targets:
                if isinstance(target.target, cst.Tuple) and isinstance(node.value, cst.Tuple):
                    for to, value in zip(target.target.elements, node.value.elements, strict=False):
                        if isinstance(to.value, cst.Name):
                            certain = isinstance(value.value, cst.Call) and _is_variable(facts, value.value, node)
                            given.setdefault((facts.scope(node), to.value.value), []).append(certain)
                    continue
                for name in _bound(target.target):
                    alone = target.target is name
                    certain = alone and isinstance(node.value, cst.Call) and _is_variable(facts, node.value, node)
                    given.setdefault((facts.scope(node), name.value), []).append(certain)
        elif isinstance(node, (cst.For, cst.CompFor)):
            params = m.matches(node.iter, m.Call(func=m.Attribute(attr=m.Name("params"))))
            for name in _bound(node.target):
                given.setdefault((facts.scope(node), name.value), []).append(params)
        elif isinstance(node, cst.Param):
            given.setdefault((facts.scope(node), node.name.value), []).append(False)
    return given


def _bound(target: cst.BaseExpression) -> list[cst.Name]:
    """Yield the names that an assignment to `target` binds."""
    if isinstance(target, cst.Name):
        return [target]
    if isinstance(target, (cst.Tuple, cst.List)):
        return [name for element in target.elements for name in _bound(element.value)]
    return []
