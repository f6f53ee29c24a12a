"""The result of choosing a provider."""

from __future__ import annotations

from typing import NamedTuple

from .offers import Offer
from .state import Status

__all__ = ["Candidate", "Selection", "Skipped"]


class Skipped(NamedTuple):
    """A name of a list that could not be used."""

    name: str
    reason: str


class Selection(NamedTuple):
    """The chosen provider.

    Attributes:
        offer: The offer.
        origin: Where its name came from: ``argument``, ``environment RENGA_BACKEND``, …
        skipped: The earlier names of the list, and why each was skipped.
    """

    offer: Offer
    origin: str
    skipped: tuple[Skipped, ...] = ()


class Candidate(NamedTuple):
    """An offer that could be chosen, and its current state (`State.AMBIGUOUS` included)."""

    offer: Offer
    status: Status
