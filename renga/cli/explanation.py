"""Explains why a provider is chosen, or why none can be, for `renga plugins why`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from renga_core.plugin import Candidate, Kind, Registry, RengaPluginError, Selection
from renga_core.plugin.preferences import ARGUMENT
from renga_core.plugin.provider import AUTO

__all__ = ["Explanation", "explain"]

_LISTED = 30
"""The largest number of candidates that are listed."""


@dataclass(frozen=True)
class Explanation:
    """Why a provider is chosen, or why none can be; `str()` gives the text.

    Attributes:
        kind: The kind of the provider.
        asked: The requested name; a tuple of names in order of preference; or None if nothing was requested.
        origin: Where the request came from.
        candidates: All providers of the kind.
        selection: The result; None if no provider can be chosen.
        error: The error that the choice raises; "" if a provider is chosen.
    """

    kind: Kind[Any]
    asked: str | tuple[str, ...] | None
    origin: str
    candidates: tuple[Candidate, ...]
    selection: Selection | None = None
    error: str = ""

    def __str__(self) -> str:
        if self.asked is None:
            return self.error
        asked = self.asked if isinstance(self.asked, str) else ", ".join(self.asked)
        lines = [f"{self.kind.name}: {asked} (from {self.origin})"]
        if self.kind.default == AUTO and (AUTO in self.origin or self.origin == "default"):
            first = f"[prefer.{self.kind.name}] auto, "
            lines.append(f"  auto tries: {first}accelerators, CPUs; of each, Renga's own first, then others by name")
        if self.selection is None:
            lines.append(self.error)
        else:
            lines += [f"  skipped {name}: {reason}" for name, reason in self.selection.skipped]
            offer = self.selection.offer
            lines.append(f"  chosen {offer.full_name} ({offer.plugin.origin})")
        if len(self.candidates) > _LISTED:
            lines.append(f"Offered: {len(self.candidates)}. `renga plugins list {self.kind.name}` lists all.")
        elif self.candidates:
            width = max(len(candidate.offer.full_name) for candidate in self.candidates)
            lines.append("Offered:")
            for offer, status in self.candidates:
                lines.append(f"  - {offer.full_name:{width}}   ({offer.plugin.origin}, {status})")
        return "\n".join(lines)


def explain(
    registry: Registry[Any], name: str | Iterable[str] | None = None, *, origin: str = ARGUMENT, probe: bool = False
) -> Explanation:
    """Explain what `Registry.select` does with the same arguments, errors included."""
    asked, origin = registry.wish(name, origin)
    candidates = registry.list()
    try:
        selection = registry.select(name, origin=origin, probe=probe)
    except RengaPluginError as error:
        return Explanation(registry.kind, asked, origin, candidates, error=str(error))
    return Explanation(registry.kind, asked, origin, candidates, selection)
