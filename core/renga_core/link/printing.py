"""How a tree of links looks as text."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent
from typing import Any

__all__ = ["describe"]


def describe(name: str, specs: Iterable[tuple[str, Any]], parts: Iterable[tuple[str, Any]]) -> str:
    """A link in constructor notation, with its parts indented below it.

    Args:
        name: Name of the class.
        specs: What `Link.printable_specs` yields.
        parts: Name and value of each child, or of a function between them.

    Returns:
        ``Linear(in_size=3, out_size=2)``, or, with parts::

            MLP(
              (l1): Linear(in_size=3, out_size=2),
              (1): relu,
            )
    """
    line = ", ".join(f"{key}={value}" for key, value in specs)
    body = "".join(f"\n{indent(f'({key}): {_text(part)},', '  ')}" for key, part in parts)
    return f"{name}({line}{body}\n)" if body else f"{name}({line})"


def _text(part: Any) -> str:
    """A link as its own text, a function as its name."""
    return getattr(part, "__name__", None) or str(part)
