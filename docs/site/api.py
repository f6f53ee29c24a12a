"""Write the API reference: a page for each public module, and one for each name in it.

A page of a name has its signature and docstring (autodoc), the import line, a link to the source, its other names, and
who serves it (`served`).
"""

from __future__ import annotations

import importlib
import inspect
import shutil
from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from names import Entity, Name, modules, public_names
from served import served

__all__ = ["Counts", "write"]

GROUP_FROM = 20
"""A module with this many names is divided by the modules that the names come from."""


class Counts(NamedTuple):
    """How much was written."""

    names: int
    pages: int
    examples: int

    def __str__(self) -> str:
        return f"{self.pages} pages for {self.names} public names ({self.examples} with an example)"


def write(folder: Path, *, every_name: bool = True) -> Counts:
    """Write the pages into a folder.

    Args:
        folder: Where to; what is no page any more is removed.
        every_name: Write a page for each name, too; else only those of modules.
    """
    listed = {module: public_names(module) for module in modules()}
    objects: dict[int, list[Name]] = defaultdict(list)
    for name in sorted(chain.from_iterable(listed.values()), key=lambda name: name.module.count(".")):
        objects[id(name.load())].append(name)
    wanted = {folder / "index.rst": _index(list(listed))}
    examples = 0
    for module, names in listed.items():
        inner = [other for other in listed if other.rpartition(".")[0] == module and module != "renga"]
        wanted[folder / module / "index.rst"] = _module(module, names, inner, every_name)
        for name in names:
            entity = Entity(name)
            examples += entity.has_example
            if every_name:
                same = objects[id(entity.value)] if entity.directive != "autodata" else [name]
                text = _page(entity, same[1:]) if same[0] == name else _other_name(entity, same[0])
                wanted[folder / module / f"{name.file}.rst"] = text
    for path, text in wanted.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in folder.glob("**/*.rst"):
        if path not in wanted:
            path.unlink()
    for path in folder.iterdir():
        if path.is_dir() and path.name not in listed:
            shutil.rmtree(path)
    total = sum(map(len, listed.values()))
    return Counts(total, len(wanted) - 1 - len(listed) if every_name else 0, examples)


def _title(text: str) -> list[str]:
    return [text, "=" * len(text), ""]


def _index(listed: list[str]) -> str:
    lines = [*_title("API reference"), INTRODUCTION, "", ".. toctree::", "   :hidden:", ""]
    lines += [f"   {module}/index" for module in listed]
    lines += ["", ".. list-table::", "   :widths: 35 65", ""]
    for module in listed:
        lines += [f"   * - :doc:`{module} <{module}/index>`", f"     - {_sentence(_doc(module))}"]
    return "\n".join([*lines, ""])


INTRODUCTION = """Every public name of Renga has a page: its signature, arguments with shapes and dtypes, errors,
an example, its source, and the plugin and kernels that serve it. To find a name, use the search field. The modules:"""


def _doc(module: str) -> str:
    return inspect.getdoc(importlib.import_module(module)) or ""


def _sentence(text: str) -> str:
    """The first paragraph of a docstring as reStructuredText in one line."""
    from docstrings import CODE

    line = " ".join(text.partition("\n\n")[0].split()).removesuffix("::")
    line = CODE.sub(lambda found: f"``{found[1]}``" if found[1] else found[0], line)
    parts = line.split("``")
    return "``".join(part if n % 2 else part.replace("*", r"\*").replace("|", r"\|") for n, part in enumerate(parts))


def _module(module: str, names: list[Name], inner: list[str], linked: bool) -> str:
    """The page of a module: what it is, the modules in it, and its names in tables."""
    lines = [*_title(module), f".. py:module:: {module}", "", f"{_sentence(_doc(module))}", ""]
    if inner:
        lines += ["Modules in it:", "", ".. list-table::", "   :widths: 35 65", ""]
        for other in inner:
            lines += [f"   * - :doc:`{other} <../{other}/index>`", f"     - {_sentence(_doc(other))}"]
        lines.append("")
    groups: dict[str, list[Name]] = defaultdict(list)
    for name in names:
        groups[name.home if len(names) >= GROUP_FROM else ""].append(name)
    if len(groups) > GROUP_FROM:  # a module each: no groups
        groups = defaultdict(list, {"": names})
    for home, members in sorted(groups.items()):
        if home:
            head = home.rpartition(".")[2].replace("_", " ").capitalize()
            about = _sentence(inspect.getdoc(importlib.import_module(home)) or "")
            lines += [head, "-" * len(head), "", about, ""]
        lines += [".. list-table::", "   :widths: 35 65", ""]
        for name in members:
            link = f":doc:`{name.name} <{name.file}>`" if linked else f"``{name.name}``"
            lines += [f"   * - {link}", f"     - {_sentence(Entity(name).summary)}"]
        lines.append("")
    return "\n".join(lines)


def _head(name: Name) -> list[str]:
    return [
        *_title(name.name.replace("_", r"\_")),
        f":doc:`API <../index>` › :doc:`{name.module} <index>`",
        "",
        ".. code-block:: python",
        "",
        f"   from {name.module} import {name.name}",
        "",
    ]


def _page(entity: Entity, others: list[Name]) -> str:
    """The page of a name."""
    name = entity.name
    lines = _head(name)
    if entity.directive == "autodata":
        lines += [f".. py:data:: {name.full}", f"   :type: {type(entity.value).__name__}", ""]
        lines += [
            f"   {_sentence(entity.doc)}",
            "",
            "   .. code-block:: python",
            "",
            f"      {_short(entity.value)}",
            "",
        ]
        if entity.example:
            lines += ["   .. rubric:: Example", "", *(f"   {line}" for line in entity.example.split("\n")), ""]
    else:
        lines += [f".. {entity.directive}:: {name.full}", *_options(entity), ""]
    if others:
        lines += [f"Other names: {', '.join(f':doc:`{it.full} </api/{it.module}/{it.file}>`' for it in others)}.", ""]
    return "\n".join([*lines, ".. rubric:: Served by", "", *served(name), ""])


def _other_name(entity: Entity, first: Name) -> str:
    """The page of a name of an object that has its page under another name."""
    name = entity.name
    link = f":doc:`{first.full} </api/{first.module}/{first.file}>`"
    return "\n".join([*_head(name), f"Another name of {link}.", "", _sentence(entity.summary), ""])


def _short(value: Any) -> str:
    """A constant, in at most one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else f"{text[:97]}..."


def _options(entity: Entity) -> list[str]:
    if entity.directive in ("autoclass", "autoexception"):
        bases = [] if entity.value.__bases__ == (object,) else ["   :show-inheritance:"]
        return ["   :members:", *bases, "   :special-members: __call__"]
    return []
