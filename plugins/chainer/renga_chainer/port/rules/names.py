"""Rewrites Chainer's names to Renga's, with the same local names if possible."""

from __future__ import annotations

from typing import Any

import libcst as cst

from renga_chainer.mirror import FACES
from renga_chainer.port.equivalents import CHANGED, advice, equivalent, is_module_path
from renga_chainer.port.facts import Facts, expression, text_of

__all__ = ["attribute", "name", "spelled"]

_PACKAGES = {"chainer": "renga", "chainercv": "renga.cv"}
"""Packages whose names are written with their full path, by owner."""

_CUPY = ("chainer.backends.cuda.cupy", "chainer.cuda.cupy")


def name(facts: Facts, original: cst.Name, updated: Any) -> Any:
    """Rewrite a single name, such as `relu` after ``from chainer.functions import relu``; the import defines it."""
    parent = facts.parents.get(original)
    if isinstance(parent, (cst.Attribute, cst.ImportAlias, cst.AsName)) or not facts.chainer(original):
        return updated
    if isinstance(parent, (cst.Param, cst.AssignTarget)) or (
        isinstance(parent, cst.Arg) and parent.keyword is original
    ):
        return updated
    return _renamed(facts, original, updated)


def attribute(facts: Facts, original: cst.Attribute, updated: Any) -> Any:
    """Rewrite a full dotted name, such as ``chainer.functions.relu``."""
    parent = facts.parents.get(original)
    inner = isinstance(parent, cst.Attribute) and parent.value is original and bool(facts.chainer(parent))
    if inner or not facts.chainer(original) or not isinstance(updated, cst.Attribute):
        return updated
    return _renamed(facts, original, updated)


def _renamed(facts: Facts, original: cst.Name | cst.Attribute, updated: Any) -> Any:
    path = facts.chainer(original)
    target = resolve(path)
    if path.startswith(_CUPY):
        rest = path.split(".cupy", 1)[1]
        facts.needs.add("renga")
        return expression(f"renga.backend.get_backend('cupy').xp{rest}", updated)
    if target is None:
        facts.left(original, f"Renga has no {path}", advice(path))
        target = _would_be(path)  # so that the rest of the program runs, and only its use fails
        if target is None or isinstance(original, cst.Name):
            return updated
    elif target in CHANGED:
        facts.note(original, CHANGED[target])
    return expression(spelled(facts, original, target), updated)


def resolve(path: str) -> str | None:
    """Return Renga's path for a path of Chainer, which may end in attributes of an object."""
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        found = equivalent(".".join(parts[:n]))
        if found is not None:
            rest = parts[n:]
            if rest and is_module_path(".".join(parts[:n])):
                return None  # a module that lacks the next name
            return ".".join([found, *rest])
    return None


def _would_be(path: str) -> str | None:
    """Return where Renga would have it: in its equivalent of Chainer's module."""
    parts = path.split(".")
    for n in range(len(parts) - 1, 1, -1):
        module = ".".join(parts[:n])
        if module in FACES:
            return ".".join([FACES[module][0], *parts[n:]])
    return ".".join([_PACKAGES[parts[0]], *parts[1:]]) if parts[0] in _PACKAGES and len(parts) > 1 else None


def spelled(facts: Facts, original: cst.BaseExpression, target: str) -> str:
    """Return the source text for Renga's `target` in place of `original`, with the same local name if possible."""
    written, path = text_of(original).strip("()"), facts.chainer(original)
    root, _, rest = written.partition(".")
    path_of_root = path.removesuffix("." + rest) if rest else path
    if written == path and path in _PACKAGES:
        return _PACKAGES[path]
    if not rest and target.rpartition(".")[2] == original_name(path):
        return root  # the import statement defines it
    if not rest:
        return root if equivalent(path) is not None else target
    if root in _PACKAGES and path_of_root == root:
        return target if target.startswith("renga.") or target == "renga" else _needed(facts, target)
    local = equivalent(path_of_root)
    if local is not None and (target + ".").startswith(local + "."):
        return root + target.removeprefix(local)
    return _needed(facts, target)


def original_name(path: str) -> str:
    """The last part of a path."""
    return path.rpartition(".")[2]


def _needed(facts: Facts, target: str) -> str:
    facts.needs.add("renga" if target.partition(".")[0] == "renga" else target.rpartition(".")[0])
    return target
