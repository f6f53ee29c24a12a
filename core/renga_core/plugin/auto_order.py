"""What ``auto`` stands for: the offers of a kind that may be chosen without being named, in the order of trying."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import messages, preferences
from .kind import Kind
from .offers import Offer
from .provider import AUTO, AUTO_ORDER

__all__ = ["in_auto_order"]


def in_auto_order(kind: Kind[Any], offers: Sequence[Offer]) -> list[Offer]:
    """Return those of `offers` that ``auto`` stands for, in the order in which they are tried.

    They are those that ask for it (`Provider.auto`), and those of the plugin that ``[prefer.<kind>] auto`` names, which
    come first. Then accelerators come before CPUs; of each, what Renga ships comes first, then the name decides: to
    install another plugin changes nothing for a machine on which what Renga ships is chosen.

    Raises:
        UnknownProvider: The preference is for a plugin that offers nothing of this kind.
    """
    preference = preferences.preferred(kind, AUTO)
    first = [it for it in offers if preference is not None and preference.value in it.plugin.names]
    if preference is not None and not first:
        raise messages.wrong_preference(kind, AUTO, preference.value, preference.origin, offers)

    def order(offer: Offer) -> tuple[object, ...]:
        rank = AUTO_ORDER.index(offer.provider.auto) if offer.provider.auto else len(AUTO_ORDER)
        return offer not in first, rank, not offer.plugin.shipped, offer.full_name

    return sorted((it for it in offers if it.provider.auto or it in first), key=order)
