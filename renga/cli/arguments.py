"""The arguments that a provider accepts: parameters, types, defaults, and their descriptions in the docstring."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any, NamedTuple

from renga.run.part import parameters_of
from renga_core.plugin import Offer
from renga_core.plugin.provider import resolve

__all__ = ["Argument", "arguments_of", "meanings"]

_ENTRY = re.compile(r"(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \([^)]*\))?: (?P<text>.*)")


class Argument(NamedTuple):
    """One parameter.

    Attributes:
        name: Its name.
        type: Its annotation as written; "" without one.
        default: Its default as Python shows it; "" if there is none and the argument is required.
        about: Its description in the docstring.
    """

    name: str
    type: str
    default: str
    about: str


def arguments_of(offer: Offer) -> list[Argument]:
    """Return the arguments of a provider, from its `options` or its target's signature. Imports the target.

    Raises:
        BaseException: Importing the target raised it.
    """
    target = offer.load()
    described = resolve(offer.provider.options) if offer.provider.options else target
    if not callable(described):
        return []
    try:
        parameters = parameters_of(described)
        written = inspect.signature(described).parameters
    except (TypeError, ValueError):  # a builtin without a signature
        return []
    about = meanings(target) | meanings(described)
    return [
        Argument(it.name, _type(written[it.name].annotation), _default(it), about.get(it.name, "")) for it in parameters
    ]


def meanings(target: Any) -> dict[str, str]:
    """Return the descriptions under ``Args:`` by name, from a class, its constructor and its bases."""
    found: dict[str, str] = {}
    holders = [target]
    if inspect.isclass(target):
        holders = [it for cls in target.__mro__ for it in (cls, vars(cls).get("__init__"))]
    for holder in holders:
        for name, text in _section(getattr(holder, "__doc__", None) or "").items():
            found.setdefault(name, text)
    return found


def _section(doc: str) -> dict[str, str]:
    lines = iter(inspect.cleandoc(doc).splitlines())
    found: dict[str, str] = {}
    names: list[str] = []
    if not any(line.strip() in ("Args:", "Arguments:") for line in lines):
        return found
    for line in lines:  # the lines after the heading
        if line.strip() and not line.startswith(" "):
            break
        entry = _ENTRY.fullmatch(line.strip()) if len(line) - len(line.lstrip()) == 4 else None
        if entry:
            names = [name.lstrip("*") for name in entry["names"].split(", ")]
            found.update(dict.fromkeys(names, entry["text"]))
        elif line.strip():
            found.update({name: f"{found[name]} {line.strip()}" for name in names})
    return found


def _type(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _default(parameter: inspect.Parameter) -> str:
    default = parameter.default
    if parameter.kind is inspect.Parameter.VAR_KEYWORD or default is inspect.Parameter.empty:
        return ""
    if dataclasses.is_dataclass(default) or not hasattr(default, "__name__"):
        return repr(default)
    return str(default.__name__)
