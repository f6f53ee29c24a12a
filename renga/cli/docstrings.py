"""One-line descriptions of targets: first lines of docstrings, read from the source. Nothing is imported."""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path

from renga_core.plugin import Offer

__all__ = ["first_line", "summary_of"]


def summary_of(offer: Offer) -> str:
    """Return a one-line description of a provider: its summary, or the first line of its docstring."""
    return offer.provider.summary or first_line(offer.provider.target)


def first_line(target: str) -> str:
    """Return the first line of the docstring of ``module:attribute``, without its full stop; "" if there is none.

    A name that the module imports is looked up in the module that defines it.
    """
    module, _, attribute = target.partition(":")
    node = _find(module, attribute.partition(".")[0], set())
    text = (ast.get_docstring(node) or "") if node is not None else ""
    return text.partition("\n")[0].strip().removesuffix(".")


def _find(module: str, name: str, seen: set[tuple[str, str]]) -> ast.FunctionDef | ast.ClassDef | None:
    tree = _tree(module)
    if tree is None or (module, name) in seen:
        return None
    seen.add((module, name))
    for node in reversed(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return node
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets):
            return _find(module, node.value.id, seen) if isinstance(node.value, ast.Name) else None
        if isinstance(node, ast.ImportFrom):
            wanted = [alias.name for alias in node.names if name == (alias.asname or alias.name)]
            if any(alias.name == "*" for alias in node.names):
                wanted.append(name)
            for there in wanted:
                found = _find(_source(module, node), there, seen)
                if found is not None:
                    return found
    return None


def _source(module: str, node: ast.ImportFrom) -> str:
    """The module from which a line imports."""
    if not node.level:
        return node.module or ""
    path = _path(module)
    package = module if path is not None and path.name == "__init__.py" else module.rpartition(".")[0]
    for _ in range(node.level - 1):
        package = package.rpartition(".")[0]
    return f"{package}.{node.module}" if node.module else package


@cache
def _tree(module: str) -> ast.Module | None:
    path = _path(module)
    try:
        return ast.parse(path.read_bytes()) if path is not None else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # a plugin's file may contain anything
        return None


def _path(module: str) -> Path | None:
    """The source file of a module. Python finds only the package, because finding ``a.b`` would import ``a``."""
    top, *inner = module.split(".")
    try:
        found = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if found is None:
        return None
    if not inner:
        return Path(found.origin) if found.origin and found.origin.endswith(".py") else None
    for folder in found.submodule_search_locations or ():
        stem = Path(folder, *inner)
        for path in (stem / "__init__.py", stem.with_name(f"{stem.name}.py")):
            if path.is_file():
                return path
    return None
