"""`Sequential` with its links counted as Chainer counts them, for keys in its files.

Each link that is appended comes right after the first one: of four, the order is 0, 3, 2, 1. Chainer's files, and the
order of its `params()`, depend on that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from renga_core.link import Link
from renga_core.link.sequential import Sequential

__all__ = ["ADDITIONS"]


def named_children(self: Sequential) -> Iterator[tuple[str, Link]]:
    """Pairs of number and link."""
    children: list[Link] = []
    first: int | None = None
    for position, layer in enumerate(self._layers):
        if isinstance(layer, Link):
            children.insert(0 if position == 0 else (first or 0) + 1, layer)
            first = position if first is None else first
    return ((str(i), link) for i, link in enumerate(children))


ADDITIONS: list[tuple[type, str, Any]] = [(Sequential, "_named_children", named_children)]
