"""Configuration entries about cuDNN, iDeep and the like, which Renga lacks."""

from __future__ import annotations

from typing import Any

import libcst as cst

from renga_chainer.port.equivalents import GONE_KEYS
from renga_chainer.port.facts import Facts, expression

__all__ = ["assignment", "read", "with_block"]

_WHY = "Renga has no such entry: kernels are chosen by the settings under [kernels]"


def _key(facts: Facts, node: cst.CSTNode) -> str:
    """Return the entry's name if Renga lacks it."""
    path = facts.chainer(node).replace("chainer.configuration.", "chainer.")
    head, _, key = path.rpartition(".")
    return key if head in ("chainer.config", "chainer.global_config") and key in GONE_KEYS else ""


def assignment(facts: Facts, original: cst.Assign, updated: Any) -> Any:
    """Remove ``chainer.config.use_cudnn = …``."""
    if len(original.targets) == 1 and _key(facts, original.targets[0].target):
        facts.note(original, f"left out: {_WHY}")
        return cst.RemoveFromParent()
    return updated


def read(facts: Facts, original: cst.Attribute, updated: Any) -> Any:
    """Replace the entry by Chainer's default value."""
    key = _key(facts, original)
    if not key or isinstance(facts.parents.get(original), cst.AssignTarget):
        return updated
    facts.note(original, f"{GONE_KEYS[key]}, Chainer's default: {_WHY}")
    return expression(GONE_KEYS[key], updated)


def with_block(facts: Facts, original: cst.With, updated: Any) -> Any:
    """Replace ``with chainer.using_config('use_cudnn', …)`` by the contents of the block."""
    if not isinstance(updated, cst.With):
        return updated
    kept = [new for old, new in zip(original.items, updated.items, strict=True) if not _is_gone(facts, old.item)]
    if len(kept) == len(updated.items):
        return updated
    facts.note(original.items[0].item, f"left out: {_WHY}")
    if not kept:
        body: Any = updated.body
        return cst.FlattenSentinel(
            body.body if isinstance(body, cst.IndentedBlock) else [cst.SimpleStatementLine(body.body)]
        )
    return updated.with_changes(items=[*kept[:-1], kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)])


def _is_gone(facts: Facts, item: cst.BaseExpression) -> bool:
    if not isinstance(item, cst.Call) or facts.chainer(item.func) not in (
        "chainer.using_config",
        "chainer.configuration.using_config",
    ):
        return False
    key = item.args[0].value if item.args else None
    return isinstance(key, cst.SimpleString) and key.evaluated_value in GONE_KEYS
