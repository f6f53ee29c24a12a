"""What was chosen, and why."""

from __future__ import annotations

from typing import NamedTuple

from .offers import Offer
from .state import Status

__all__ = ["Candidate", "Selection", "Skipped"]


class Skipped(NamedTuple):
    """A name of a list of wishes that could not be used."""

    name: str
    reason: str


class Selection(NamedTuple):
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
