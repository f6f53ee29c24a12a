"""Reading settings from TOML files: a run file, and ``[tool.renga]`` in the nearest pyproject.toml."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .errors import InvalidFile, UnknownSetting, WrongType
from .schema import RUN_ONLY, SCHEMA, Key, find_key, known_keys
from .types import describe, fit

__all__ = ["Setting", "read_pyproject", "read_run_file", "read_toml", "settings_in", "typed"]

_DEEPEST = 50


class Setting(NamedTuple):
    """A value and where it came from, in words that fit «(from …)»: ``environment RENGA_BACKEND``, ``default``, …"""

    key: str
    value: Any
    origin: str


def typed(row: Key, value: object, origin: str) -> Setting:
    """Return the setting of `row`, with its value checked and converted.

    Raises:
        WrongType: The value does not have the row's type.
    """
    try:
        return Setting(row.name, fit(value, row.type), origin)
    except TypeError:
        raise WrongType(row.name, origin, describe(row.type), value) from None


def read_toml(path: str | Path) -> dict[str, Any]:
    """Return the document of a TOML file.

    Raises:
        InvalidFile: The file cannot be read, or is not TOML; the message gives line and column and shows the line.
    """
    import tomllib  # saves a few milliseconds of `import renga`

    try:
        text = Path(path).read_text(encoding="utf-8-sig")  # Windows editors write a byte order mark
    except OSError as error:
        raise InvalidFile(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InvalidFile(f"{path}: not UTF-8 text, as TOML requires (byte {error.start})") from error
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidFile(_syntax_error(path, text, str(error))) from error
    except (ValueError, RecursionError) as error:  # a huge integer; deeply nested arrays
        raise InvalidFile(f"{path}: cannot be read as TOML: {error}") from error
    if _deeper_than(_DEEPEST, document):
        raise InvalidFile(f"{path}: tables are nested more than {_DEEPEST} levels deep")
    return document


def _deeper_than(most: int, document: Any) -> bool:
    """Whether values are nested deeper than this number of levels."""
    level = [document]
    for _ in range(most):
        inner = [list(value.values()) if isinstance(value, dict) else value for value in level]
        level = [item for items in inner for item in items if isinstance(item, (dict, list))]
    return bool(level)


def _syntax_error(path: str | Path, text: str, message: str) -> str:
    # Before Python 3.14, the position is only in the text of the message.
    reason, _, position = message.rpartition(" (at ")
    lines = text.split("\n")
    found = re.fullmatch(r"line (\d+), column (\d+)\)", position)
    if found:
        line, column = int(found[1]), int(found[2])
    else:  # at end of document
        line, column = len(lines), len(lines[-1]) + 1
    shown = lines[line - 1].rstrip("\r").replace("\t", " ")
    gutter = f"  {line} | "
    arrow = " " * (len(gutter) + column - 1) + "^"
    return f"{path}, line {line}, column {column}: not TOML: {reason}\n{gutter}{shown}\n{arrow}"


def settings_in(document: Mapping[str, Any], origin: str, *, run: bool) -> dict[str, Setting]:
    """Return the checked settings of a document, by key.

    Args:
        document: Tables as in the file, e.g. ``{"run": {"seed": 1}}``.
        origin: Where the document was read from, for messages.
        run: Whether it may contain the description of a run ([model], [data], [optimizer], hooks, extensions).

    Raises:
        UnknownSetting: A key is not in the schema.
        WrongType: A value does not have its key's type.
    """
    found = {}
    for row, value in _walk(document, "", origin, run):
        found[row.name] = typed(row, value, origin)
    return found


def _walk(table: Mapping[str, Any], prefix: str, origin: str, run: bool) -> Iterator[tuple[Key, Any]]:
    for name, value in table.items():
        path = f"{prefix}{name}"
        if not run and path in RUN_ONLY:
            known = [section for section in known_keys(path) if section not in RUN_ONLY]
            raise UnknownSetting(path, f"{origin}; it belongs in a run file", known)
        row = find_key(path)
        holds_more = isinstance(value, Mapping) and _is_section(path)
        if row is not None and not holds_more:
            yield row, value
        elif holds_more:
            yield from _walk(value, f"{path}.", origin, run)
        elif _is_section(path):
            raise WrongType(path, origin, "table", value)
        else:
            raise UnknownSetting(path, origin, known_keys(path))


def _is_section(path: str) -> bool:
    """Whether keys may continue below `path`: ``run``, ``prefer.link``, and names with dots below that."""
    words = path.split(".")
    return any(
        all(part in ("*", word) for part, word in zip(row.name.split("."), words, strict=False))
        and (len(words) < row.name.count(".") + 1 or row.name.endswith("*"))
        for row in SCHEMA
    )


def read_run_file(path: str | Path, origin: str = "") -> dict[str, Setting]:
    """Return the settings of a run file.

    Args:
        path: The file.
        origin: Where the settings come from, for messages; default: ``run file <path>``.

    Raises:
        SettingsError: See `read_toml` and `settings_in`.
    """
    return settings_in(read_toml(path), origin or f"run file {path}", run=True)


_Stamp = tuple[str, str, int, int]
_pyproject: tuple[_Stamp | None, dict[str, Setting]] = (None, {})


def read_pyproject() -> dict[str, Setting]:
    """Return the settings of ``[tool.renga]`` in the nearest pyproject.toml, from the working folder upwards.

    The file is read again if it or the working folder has changed.

    Raises:
        SettingsError: See `read_toml` and `settings_in`.
    """
    global _pyproject
    here = os.getcwd()
    folder = here
    while not os.path.isfile(path := os.path.join(folder, "pyproject.toml")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return {}
        folder = parent
    status = os.stat(path)
    stamp = (here, path, status.st_mtime_ns, status.st_size)
    if _pyproject[0] != stamp:
        shown = os.path.relpath(path, here)
        table = read_toml(shown).get("tool", {}).get("renga", {})
        if not isinstance(table, Mapping):
            raise WrongType("tool.renga", shown, "table", table)
        _pyproject = (stamp, settings_in(table, shown, run=False))
    return _pyproject[1]
