"""Rewrites readers of a run's log: Renga writes JSON lines, ``log.jsonl``; Chainer wrote a JSON list, ``log``."""

from __future__ import annotations

from typing import Any

import libcst as cst
import libcst.matchers as m

from renga_chainer.port.facts import Facts, code, expression

__all__ = ["json_load", "open_call"]


def json_load(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Rewrite ``json.load(open(…'log'))`` and ``json.load(f)`` of such a file to read one object per line."""
    if original not in _readers(facts):
        return updated
    return expression(f"[json.loads(line) for line in {code(updated.args[0].value)}]", original)


def open_call(facts: Facts, original: cst.Call, updated: Any) -> Any:
    """Rewrite ``open(…'log')`` of such a file: its name becomes ``log.jsonl``."""
    if original not in _readers(facts).values() or not isinstance(updated, cst.Call):
        return updated
    name = _log_name(facts, original)
    assert name is not None
    ending = cst.SimpleString(name.value[:-1] + ".jsonl" + name.value[-1])
    return updated.with_deep_changes(_same(updated, name), value=ending.value)


def _same(updated: cst.Call, name: cst.SimpleString) -> cst.SimpleString:
    """Return the string in the current version of the call."""
    found: Any = m.findall(updated.args[0], m.SimpleString(value=name.value))
    return found[-1]  # type: ignore[no-any-return]  # libcst's


def _readers(facts: Facts) -> dict[cst.CSTNode, cst.CSTNode]:
    """Return calls of `json.load` that read a log, each with the call of `open` for its file."""
    if "readers" not in facts.memory:
        found: dict[cst.CSTNode, cst.CSTNode] = {}
        for call in m.findall(facts.module, m.Call()):
            assert isinstance(call, cst.Call)
            if facts.path(call.func) == "json.load" and call.args:
                opened = _opened(facts, call.args[0].value)
                if opened is not None and _log_name(facts, opened) is not None:
                    found[call] = opened
        facts.memory["readers"] = found
    readers: dict[cst.CSTNode, cst.CSTNode] = facts.memory["readers"]
    return readers


def _opened(facts: Facts, file: cst.BaseExpression) -> cst.Call | None:
    """Return the call of `open` that an expression for a file refers to."""
    if isinstance(file, cst.Call):
        return file if m.matches(file.func, m.Name("open")) else None
    if isinstance(file, cst.Name):
        for outer in facts.ancestors(file):
            for item in outer.items if isinstance(outer, cst.With) else ():
                if item.asname and m.matches(item.asname.name, m.Name(file.value)) and isinstance(item.item, cst.Call):
                    return _opened(facts, item.item)
    return None


def _log_name(facts: Facts, opened: cst.Call) -> cst.SimpleString | None:
    """Return the string that names the log in the opened path."""
    strings: Any = m.findall(opened.args[0], m.SimpleString()) if opened.args else []
    if not strings:
        return None
    last: cst.SimpleString = strings[-1]
    name = str(last.evaluated_value).replace("\\", "/").rpartition("/")[2]
    return last if name in _names(facts) else None


def _names(facts: Facts) -> set[str]:
    """Return the names of logs in this program."""
    names = {"log"}
    for call in m.findall(facts.module, m.Call()):
        assert isinstance(call, cst.Call)
        if facts.chainer(call.func).endswith(".LogReport"):
            for arg in call.args:
                said = arg.keyword is not None and arg.keyword.value in ("log_name", "filename")
                if said and isinstance(arg.value, cst.SimpleString):
                    names.add(str(arg.value.evaluated_value))
    return names
