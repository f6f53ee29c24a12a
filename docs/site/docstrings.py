"""Turn docstrings into reStructuredText: what stands in `single backticks` becomes a link, or code.

A docstring writes `Linear` for an object and `pad` for an argument. Sphinx alone would link `pad`, the argument, to the
function `renga.functions.pad`. Here a name becomes a link only if it is no argument of the object described and if one
public name is meant: one of the same module, or one with its full path, or the only one of that name.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["Links", "protect_attribute"]

COLON = "\ue000"
"""Stands for a colon in the first line of an attribute's text, until napoleon has read it."""
EMPTY: Mapping[str, str] = MappingProxyType({})

CODE = re.compile(r"``.+?``|(?<![:`\w])`([^`\n]+)`(?!`)", re.DOTALL)
MARKUP = re.compile(r"(?<!\\)(\*+|\||(?<=\w)_(?=\W|$))")
BEFORE_BULLET = re.compile(r"\s*(:\w+: *)?")
RUBRIC = re.compile(r"\s*\.\. rubric:: Examples?$")
EMPHASIS = re.compile(r"\*{1,2}\w(?:[^*\n]*\w)?\*{1,2}(?=\W|$)")


class Links:
    """Replaces names in docstrings by links.

    Args:
        names: Full public names, in the order in which one is preferred.
        homes: For each of them, the module and name that it has in its plugin.
        examples: Examples of names whose docstrings have none; they are added.
    """

    def __init__(self, names: list[str], homes: dict[str, str], examples: Mapping[str, str] = EMPTY) -> None:
        self._homes = homes
        self._examples = examples
        self._by_home: dict[str, str] = {}
        self._by_name: dict[str, set[str]] = {}
        for name in names:
            self._by_home.setdefault(homes[name], name)
        for name in self._by_home.values():
            self._by_name.setdefault(name.rpartition(".")[2], set()).add(name)

    def __call__(self, app: Any, what: str, name: str, target: Any, options: Any, lines: list[str]) -> None:
        """Sphinx's event ``autodoc-process-docstring``: change `lines` in place."""
        module = name.rpartition(".")[0]
        arguments = _arguments(target)
        if name in self._examples:
            lines += ["", *self._examples[name].split("\n"), ""]
        lines[:] = [line.replace(COLON, ":") for line in lines]
        text: list[str] = []
        for prose, part in _parts(lines):
            if prose:
                text += self._prose("\n".join(part), module, arguments).split("\n")
            else:
                if part[0].lstrip().startswith(">>>") and not any(RUBRIC.match(line) for line in text):
                    text += [".. rubric:: Example", ""]
                text += part
        lines[:] = text

    def _prose(self, text: str, module: str, arguments: set[str]) -> str:
        parts, end = [], 0
        for found in CODE.finditer(text):
            parts.append(_escape(text[end : found.start()]))
            parts.append(self._name(found[1], module, arguments) if found[1] else found[0])
            end = found.end()
        return "".join([*parts, _escape(text[end:])])

    def _name(self, name: str, module: str, arguments: set[str]) -> str:
        full = self._find(name, module) if name not in arguments else None
        return f":py:obj:`{name} <{full}>`" if full else f"``{name}``"

    def _find(self, name: str, module: str) -> str | None:
        for candidate in (name, f"{module}.{name}", f"{module.rpartition('.')[0]}.{name}"):
            if candidate in self._homes:
                return self._by_home[self._homes[candidate]]  # of several names of one object, the first has the page
        if name in self._by_home:
            return self._by_home[name]
        same = self._by_name.get(name, set())
        return next(iter(same)) if len(same) == 1 and name[:1].isupper() else None


def protect_attribute(app: Any, what: str, name: str, target: Any, options: Any, lines: list[str]) -> None:
    """Sphinx's event, before napoleon, which would take ``Size: of the step`` for a type, Size."""
    if what in ("attribute", "data", "property"):
        lines[:1] = [lines[0].replace(": ", f"{COLON} ")] if lines else []


def _parts(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Yield paragraphs, each with True; and examples, literal blocks and empty lines, with False."""
    paragraph: list[str] = []
    literal = -1  # of the paragraph that ended with ``::``, the indentation; an example ends at an empty line
    example = False
    for line in [*lines, ""]:
        indent = len(line) - len(line.lstrip())
        if line.strip() and literal >= 0 and indent <= literal and not paragraph:
            literal = -1
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if line.strip() and not example and literal < 0:
            paragraph.append(line)
            continue
        if paragraph:
            yield True, paragraph
            if paragraph[-1].endswith("::") and not example:
                literal = len(paragraph[-1]) - len(paragraph[-1].lstrip())
            if example:
                yield False, [""]
            paragraph = []
        yield False, [line]


def _arguments(target: Any) -> set[str]:
    try:
        return set(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        return set()


def _escape(prose: str) -> str:
    """Escape what reStructuredText would take for markup: a star for a product, bars for a size."""
    kept = [(found.start(), found.end()) for found in EMPHASIS.finditer(prose)]

    def escaped(found: re.Match[str]) -> str:
        emphasis = any(start <= found.start() < end for start, end in kept)
        before = prose[prose.rfind("\n", 0, found.start()) + 1 : found.start()]
        bullet = BEFORE_BULLET.fullmatch(before) and prose[found.end() :].startswith(" ")
        return found[0] if emphasis or bullet else f"\\{found[0]}"

    return MARKUP.sub(escaped, prose)
