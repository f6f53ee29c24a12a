"""Writing TOML, which the standard library can only read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["dumps", "dumps_value"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(document: Mapping[str, Any]) -> str:
    """Return the document as TOML: plain keys first, then ``[tables]`` and ``[[arrays of tables]]``. None is left out.

    Reading the text returns the same document, with lists in place of tuples.
    """
    return "\n\n".join(_blocks(document, "")) + "\n"


def _blocks(table: Mapping[str, Any], path: str) -> list[str]:
    plain = [
        f"{_key(name)} = {dumps_value(value)}"
        for name, value in table.items()
        if value is not None and not _is_block(value)
    ]
    blocks = ["\n".join(plain)] if plain else []
    for name, value in table.items():
        if not _is_block(value):
            continue
        inner = f"{path}.{_key(name)}" if path else _key(name)
        many = not isinstance(value, Mapping)
        for item in value if many else [value]:
            head = f"[[{inner}]]" if many else f"[{inner}]"
            first, *others = _blocks(item, inner) or [""]
            if first.startswith("["):  # only tables inside
                blocks += [head, first, *others]
            else:
                blocks += [f"{head}\n{first}".rstrip("\n"), *others]
    return blocks


def _is_block(value: Any) -> bool:
    if isinstance(value, Mapping):
        return True
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(item, Mapping) for item in value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    # JSON's escapes are valid in TOML, except that JSON does not escape the delete character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def dumps_value(value: Any) -> str:
    """Return a value as TOML: boolean, number, text, array, or table in one line.

    Raises:
        TypeError: TOML has no type for the value.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(dumps_value(item) for item in value)}]"
    if isinstance(value, Mapping):
        pairs = [f"{_key(name)} = {dumps_value(item)}" for name, item in value.items() if item is not None]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    raise TypeError(f"TOML has no type for {value!r} ({type(value).__name__})")
