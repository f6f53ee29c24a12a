"""Trees of links as text."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent
from typing import Any

__all__ = ["describe"]


def describe(name: str, specs: Iterable[tuple[str, Any]], parts: Iterable[tuple[str, Any]]) -> str:
    """Return a link in constructor notation, with its parts indented below it.

    Args:
        name: Name of the class.
        specs: The values of `Link.printable_specs`.
        parts: Name and value of each child, or of each function in a `Sequential`.

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
    """A link as text, a function by name."""
    return getattr(part, "__name__", None) or str(part)
