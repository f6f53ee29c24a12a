"""How the face reaches what other plugins register: ``renga.optimizers.lion`` is the provider ``lion``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from renga_core.plugin import Kind, UnknownProvider, registry

__all__ = ["registered"]


def registered(kind: Kind[Any], module: str, own: Iterable[str]) -> Callable[[str], Any]:
    """A module's `__getattr__` that looks names up among what plugins provide.

    Args:
        kind: The kind to look among.
        module: The module's name, for the message.
        own: The module's own names, for near misses.

    Returns:
        A function of the attribute's name. It raises AttributeError, with near misses, for a name that nobody provides,
        and the plugin system's error for one that is provided but cannot be had.
    """

    def attribute(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            return registry(kind).load(name, origin=f"{module}.{name}")
        except UnknownProvider:
            import difflib  # for a message only

            near = difflib.get_close_matches(name, sorted({*own, *registry(kind).names()}), n=3)
            hint = f". Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
            raise AttributeError(f"module {module!r} has no attribute {name!r}{hint}") from None

    return attribute
