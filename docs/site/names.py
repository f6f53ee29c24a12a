"""The public names of Renga: those that `renga stubs --shipped` writes, with the object behind each."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.util import resolve_name
from pathlib import Path
from typing import Any, NamedTuple

from renga.view import VIEWS

__all__ = ["Entity", "Name", "examples", "modules", "page_examples", "public_names"]

EXAMPLES = Path(__file__).with_name("examples")
"""Examples of names whose docstrings have none: a file for each public module, in it ``## NAME`` above each example.

An example sees its own name and those that it imports; one that uses `trainer` is given a trainer, and one that uses
`folder` an empty folder. tests/docs/test_examples.py runs them.
"""


class Name(NamedTuple):
    """A public name.

    Attributes:
        module: The public module, ``renga.links``.
        name: The name in it, ``Linear``.
        home: The module that it is imported from, ``renga_nn.links``.
        plugin: The plugin that offers it; "core" if it belongs to the core.
        kind: The kind of provider and its name for run files, ``("link", "linear")``; empty if it is no provider.
        file: Name of its page, unique also where upper and lower case are the same.
    """

    module: str
    name: str
    home: str
    plugin: str
    kind: tuple[str, ...]
    file: str

    @property
    def full(self) -> str:
        """``renga.links.Linear``."""
        return f"{self.module}.{self.name}"

    def load(self) -> Any:
        """Return the object itself."""
        return getattr(importlib.import_module(self.module), self.name)


class Entity:
    """What a name stands for.

    Args:
        name: The name.
    """

    def __init__(self, name: Name) -> None:
        self.name = name
        self.value = name.load()

    @cached_property
    def directive(self) -> str:
        """The directive of autodoc that documents it."""
        if inspect.isclass(self.value):
            return "autoexception" if issubclass(self.value, BaseException) else "autoclass"
        return "autofunction" if callable(self.value) and hasattr(self.value, "__name__") else "autodata"

    @property
    def doc(self) -> str:
        """Its docstring; of a constant, which has only its type's, what stands below its assignment."""
        if self.directive != "autodata":
            return inspect.getdoc(self.value) or ""
        of_type = "" if type(self.value).__module__ == "builtins" else inspect.getdoc(self.value) or ""
        return _below_assignment(self.name) or of_type

    @property
    def key(self) -> object:
        """The same for all names of one object; each constant has its own: equal ones may be one object."""
        return (self.name.home, self.name.name) if self.directive == "autodata" else id(self.value)

    @property
    def summary(self) -> str:
        """The first paragraph of its docstring in one line."""
        return " ".join(self.doc.partition("\n\n")[0].split())

    @property
    def example(self) -> str:
        """Its example in `EXAMPLES`, which other public names of the same object share; "" if there is none."""
        return _examples_by_key().get(self.key, "")

    @property
    def has_example(self) -> bool:
        """Whether there is an example that can be run, in its docstring or in `EXAMPLES`."""
        return ">>>" in self.doc or bool(self.example)


@cache
def examples() -> dict[str, str]:
    """Return the examples of `EXAMPLES` by full public name."""
    found: dict[str, str] = {}
    for file in sorted(EXAMPLES.glob("*.txt")):
        _, *parts = re.split(r"^## (\w+)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            found[f"{file.stem}.{name}"] = text.strip()
    return found


GIVEN = "``trainer`` is a trainer, as in :doc:`the first steps </tutorials/first-steps>`.\n\n"


def page_examples() -> dict[str, str]:
    """Return the examples as they stand on pages, by the full name of each public name of the object."""
    found = {}
    for module in modules():
        for name in public_names(module):
            text = Entity(name).example
            given = "trainer.extend" in text and "trainer = " not in text
            found[name.full] = GIVEN + text if given else text
    return {name: text for name, text in found.items() if text}


@cache
def _examples_by_key() -> dict[object, str]:
    public = {name.full: name for module in modules() for name in public_names(module)}
    return {Entity(public[full]).key: text for full, text in examples().items()}


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(importlib.import_module(module)))


def _below_assignment(name: Name) -> str:
    """The string below ``NAME = ...`` in the module that has it; the comment of a package's `__init__` is followed."""
    body = _tree(name.home).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ImportFrom) and node.module and any(it.name == name.name for it in node.names):
            package = importlib.import_module(name.home).__package__
            return _below_assignment(name._replace(home=resolve_name("." * node.level + node.module, package)))
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(it, ast.Name) and it.id == name.name for it in targets):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            return inspect.cleandoc(text) if isinstance(text, str) else ""
    return ""


def modules() -> Iterator[str]:
    """Yield the public modules, outer ones first."""
    rest = ["renga"]
    while rest:
        module = rest.pop(0)
        importlib.import_module(module)
        yield module
        rest = [f"{module}.{inner}" for inner in sorted(VIEWS[module].modules)] + rest


def public_names(module: str) -> list[Name]:
    """Return the names of a public module, sorted."""
    importlib.import_module(module)  # registers its view
    view = VIEWS[module]
    found: dict[str, tuple[str, str, tuple[str, ...]]] = {name: (home, "core", ()) for name, home in view.own.items()}
    for name, entry in view.public.usable().items():
        if entry.offer.plugin.shipped and name not in found:
            offer = entry.offer
            kind = () if offer.kind.name == "namespace" else (offer.kind.name, offer.name)
            found[name] = (entry.target.partition(":")[0], offer.plugin.name, kind)
    files: set[str] = set()
    names = []
    for name in sorted(found, key=lambda name: (name.lower(), name)):
        file = name
        while file.lower() in files or file == "index":
            file += "_"
        files.add(file.lower())
        names.append(Name(module, name, *found[name], file))
    return names
