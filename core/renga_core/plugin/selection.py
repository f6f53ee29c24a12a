"""What was chosen, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from .kind import Kind
from .offers import Offer
from .provider import AUTO
from .state import Status

__all__ = ["Candidate", "Explanation", "Selection", "Skipped"]


class Skipped(NamedTuple):
    """A name of a list of wishes that could not be used."""

    name: str
    reason: str


@dataclass(frozen=True)
class Selection:
    """What was chosen.

    Attributes:
        offer: The one.
        origin: Where its name came from: ``argument``, ``environment RENGA_BACKEND``, …
        skipped: The names before it in the list of wishes, and why each was passed over.
    """

    offer: Offer
    origin: str
    skipped: tuple[Skipped, ...] = ()


class Candidate(NamedTuple):
    """One of those that could be chosen, and its state as of now (`State.AMBIGUOUS` included)."""

    offer: Offer
    status: Status


@dataclass(frozen=True)
class Explanation:
    """Why something is chosen, or why nothing can be; `str()` tells it.

    Attributes:
        kind: Of what kind.
        asked: What was asked for; a tuple of wishes, or None where nobody asked.
        origin: Where that came from.
        candidates: All that is offered.
        selection: The outcome; None when nothing can be chosen.
        error: What choosing raises; "" when something is chosen.
    """

    kind: Kind[Any]
    asked: str | tuple[str, ...] | None
    origin: str
    candidates: tuple[Candidate, ...]
    selection: Selection | None = None
    error: str = ""

    def __str__(self) -> str:
        wishes = (self.asked,) if isinstance(self.asked, str) else self.asked or ("nothing",)
        asked = ", ".join(wishes)
        lines = [f"{self.kind.name}: {asked} (from {self.origin})"]
        if self.kind.default == AUTO and (AUTO in self.origin or self.origin == "default"):
            first = f"[prefer.{self.kind.name}] auto, "
            lines.append(f"  auto tries: {first}accelerators, CPUs; of each what Renga ships, then others by name")
        if self.selection is None:
            lines.append(self.error)
        else:
            lines += [f"  skipped {name}: {reason}" for name, reason in self.selection.skipped]
            offer = self.selection.offer
            lines.append(f"  chosen {offer.full_name} ({offer.plugin.origin})")
        if self.candidates:
            width = max(len(candidate.offer.full_name) for candidate in self.candidates)
            lines.append("Offered:")
            for offer, status in self.candidates:
                lines.append(f"  - {offer.full_name:{width}}   ({offer.plugin.origin}, {status})")
        return "\n".join(lines)
