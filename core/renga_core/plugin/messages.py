"""The error messages of choosing a provider: kind, name, where the name came from, the reason, the next step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from renga_core.errors import did_you_mean

from .errors import (
    AmbiguousProvider,
    ProviderFaulty,
    ProviderIncompatible,
    ProviderUnavailable,
    RengaPluginError,
    UnknownProvider,
)
from .kind import Kind
from .offers import Offer
from .state import Plugin, Problem, State, Status

__all__ = [
    "ambiguous",
    "none_usable",
    "required",
    "taken_as_shipped",
    "unknown",
    "unknown_kind",
    "unusable",
    "wrong_preference",
]

INSTALL = "install Renga: pip install . in its folder"
"""What to do if not even Renga's own providers are found."""

_ERRORS: dict[State, tuple[type[RengaPluginError], str]] = {
    State.UNAVAILABLE: (ProviderUnavailable, "is not available"),
    State.DISABLED: (ProviderUnavailable, "is disabled"),
    State.INCOMPATIBLE: (ProviderIncompatible, "is incompatible"),
    State.INVALID: (ProviderFaulty, "is invalid"),
    State.BROKEN: (ProviderFaulty, "is broken"),
}


def unusable(kind: Kind[Any], name: str, origin: str, culprit: Offer | Plugin | Problem, status: Status) -> Exception:
    """Return the error for a known provider that cannot be used; its class depends on the state."""
    error, phrase = _ERRORS[status.state]
    plugin = culprit if isinstance(culprit, Plugin) else culprit.plugin
    if isinstance(culprit, Offer):
        about = f"{kind.name} '{name}' (from {origin}), offered by {plugin}, {phrase}: {status.reason}"
    else:
        about = f"{kind.name} '{name}' (from {origin}) cannot be used: {culprit} {phrase}: {status.reason}"
    return error(f"{about}.\nNext: {status.next_step}", reason=status.reason)


def unknown(kind: Kind[Any], name: str, origin: str, known: Iterable[str], unloaded: Sequence[str]) -> UnknownProvider:
    """Return the error for a name that nobody offers.

    Args:
        kind: The kind.
        name: The requested name.
        origin: Where the name came from.
        known: The existing names.
        unloaded: Descriptions of plugins that could not be loaded and might offer the name.
    """
    known = sorted(set(known))
    if known:
        all_names = ", ".join(known) if len(known) <= 40 else f"{len(known)}, see `renga plugins list {kind.name}`"
        text = f"no {kind.name} named '{name}' (from {origin}).{did_you_mean(name, known)} Known: {all_names}."
    elif unloaded:
        text = f"no {kind.name} is loaded; '{name}' (from {origin}) was asked for."
    else:
        text = f"no {kind.name} is installed; '{name}' (from {origin}) was asked for.\nNext: {INSTALL}"
    if unloaded:
        text += "\nNot loaded:" + "".join(f"\n  - {line}" for line in unloaded)
    return UnknownProvider(text, reason=f"no plugin offers this {kind.name}")


def ambiguous(kind: Kind[Any], name: str, origin: str, offers: Sequence[Offer]) -> AmbiguousProvider:
    """Return the error for a name that several plugins offer."""
    width = max(len(offer.full_name) for offer in offers)
    lines = [f"  - {offer.full_name:{width}}   ({offer.plugin.origin}, {offer.status})" for offer in offers]
    best = next((offer for offer in offers if offer.status.state is State.READY), offers[0])
    return AmbiguousProvider(
        f"{kind.name} '{name}' (from {origin}) is offered by {len(offers)} plugins:\n"
        + "\n".join(lines)
        + f'\nChoose one: use the full name, or set [prefer.{kind.name}] {best.name} = "{best.plugin.name}".'
    )


def taken_as_shipped(meant: Offer, others: Sequence[Offer]) -> str:
    """Return the notice that a name means Renga's provider although others offer it, and how to choose."""
    kind, name, other = meant.kind.name, meant.name, others[0]
    also = " and ".join(f"{it.full_name} ({it.plugin.origin})" for it in others)
    return (
        f"{kind} '{name}' means {meant.full_name}, which Renga ships; {also} has the same name. To use that one, write "
        f'{other.full_name}, or set [prefer.{kind}] {name} = "{other.plugin.name}"; to use '
        f'this one without a notice, set [prefer.{kind}] {name} = "{meant.plugin.name}".'
    )


def wrong_preference(kind: Kind[Any], name: str, plugin: str, origin: str, offers: Sequence[Offer]) -> RengaPluginError:
    """Return the error for a preference for a plugin that does not offer the name."""
    there = sorted({offer.plugin.name for offer in offers})
    return UnknownProvider(
        f"[prefer.{kind.name}] {name} = \"{plugin}\" (from {origin}): no plugin '{plugin}' offers {kind.name} '{name}'."
        f"{did_you_mean(plugin, there)} It is offered by: {', '.join(there)}."
    )


def none_usable(
    kind: Kind[Any], names: Sequence[str], origin: str, reasons: Sequence[tuple[str, str]]
) -> ProviderUnavailable:
    """Return the error for a list in which no name can be used."""
    lines = "".join(f"\n  - {name}: {reason}" for name, reason in reasons)
    return ProviderUnavailable(
        f"no {kind.name} of {', '.join(names) or 'an empty list'} (from {origin}) can be used:{lines}\n"
        f"Next: `renga plugins list` shows what is installed and what is missing."
    )


def required(name: str, origin: str, plugins: Sequence[Plugin]) -> RengaPluginError:
    """Return the error for a required plugin that is not ready."""
    for plugin in plugins:
        if name in plugin.names:
            status = plugin.status
            return RengaPluginError(
                f"{plugin} is required (from {origin}) and {_ERRORS[status.state][1]}: {status.reason}.\n"
                f"Next: {status.next_step}"
            )
    known = sorted({plugin.name for plugin in plugins})
    return RengaPluginError(
        f"plugin '{name}' is required (from {origin}) and not installed.{did_you_mean(name, known)} "
        f"Installed: {', '.join(known) or 'none'}."
    )


def unknown_kind(name: str, known: Iterable[str]) -> RengaPluginError:
    """Return the error for a kind that neither core nor a loaded plugin has."""
    known = sorted(known)
    return RengaPluginError(f"no kind named '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}.")
