"""The candidates of ``auto``: providers that may be chosen without being named, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import messages, preferences
from .kind import Kind
from .offers import Offer
from .provider import AUTO, AUTO_ORDER

__all__ = ["in_auto_order"]


def in_auto_order(kind: Kind[Any], offers: Sequence[Offer]) -> list[Offer]:
    """Return the offers that ``auto`` may choose, in the order in which they are tried.

    These are the providers that ask for it (`Provider.auto`). The plugin in ``[prefer.<kind>] auto`` comes first, then
    accelerators, then CPUs. Within each group Renga's own come first, then the name decides. So installing another
    plugin does not change the choice on a machine where one of Renga's own is chosen.

    Raises:
        UnknownProvider: The preferred plugin offers nothing of this kind.
    """
    preference = preferences.preferred(kind, AUTO)
    first = [it for it in offers if preference is not None and preference.value in it.plugin.names]
    if preference is not None and not first:
        raise messages.wrong_preference(kind, AUTO, preference.value, preference.origin, offers)

    def order(offer: Offer) -> tuple[object, ...]:
        rank = AUTO_ORDER.index(offer.provider.auto) if offer.provider.auto else len(AUTO_ORDER)
        return offer not in first, rank, not offer.plugin.shipped, offer.full_name

    return sorted((it for it in offers if it.provider.auto or it in first), key=order)
