"""Public modules such as `renga.optimizers`: which names plugins have in them, and the target of each name.

A provider appears in the public module of its kind (`Kind.namespace`) under the name of its target. For example, an
optimizer with the target ``acme.lion:Lion`` is ``renga.optimizers.Lion``. Other objects (base classes, constants,
helper functions) appear there if a plugin lists them in a `Namespace`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from renga_core.plugin import (
    AmbiguousProvider,
    Namespace,
    Offer,
    PluginManager,
    Selection,
    State,
    Status,
    get_manager,
    messages,
    preferences,
)
from renga_core.plugin.provider import resolve
from renga_core.plugin.state import describe_error, pass_interrupt

__all__ = ["Entry", "PublicModule"]

_USABLE = (State.READY, State.UNAVAILABLE)
"""States in which a target can be imported. A class whose requirement is missing reports it when it is used."""


class Entry(NamedTuple):
    """A name in a public module, from one plugin.

    Attributes:
        name: The Python name, ``Adam``.
        target: ``module:attribute``, the object behind the name.
        offer: The provider or the `Namespace` that declares the name.
    """

    name: str
    target: str
    offer: Offer

    def load(self, origin: str) -> Any:
        """Import and return the target.

        Args:
            origin: The name that was requested, ``renga.optimizers.Adam``, for messages.

        Raises:
            RengaPluginError: The plugin is disabled, or its code raised an error, which is the cause.
        """
        offer = self.offer
        status = offer.status
        if status.state in _USABLE:
            try:
                return resolve(self.target) if isinstance(offer.provider, Namespace) else offer.load()
            except BaseException as error:
                pass_interrupt(error)
                if status.state is State.READY:
                    reason = f"importing {self.target} raised {describe_error(error)}"
                    status = Status(State.BROKEN, reason, offer.plugin.blame)
                raise messages.unusable(offer.kind, offer.name, origin, offer, status) from error
        raise messages.unusable(offer.kind, offer.name, origin, offer, status) from offer.error


class PublicModule:
    """The names that plugins have in one public module.

    Args:
        name: Name of the module, ``renga.optimizers``.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._known: tuple[PluginManager, int, dict[str, tuple[Entry, ...]]] | None = None

    def entries(self) -> dict[str, tuple[Entry, ...]]:
        """Return the entries of all plugins by name, usable or not."""
        manager = get_manager()
        kinds = manager.kinds().values()  # may load plugins again, which changes `generation`
        if self._known is None or self._known[:2] != (manager, manager.generation):
            found: dict[str, list[Entry]] = {}
            for kind in kinds:
                if kind.namespace == self.name or issubclass(kind.spec, Namespace):
                    for offer in manager.offers(kind):
                        for entry in _entries_of(offer, self.name):
                            same = found.setdefault(entry.name, [])
                            if all((it.offer.plugin, it.target) != (offer.plugin, entry.target) for it in same):
                                same.append(entry)
            self._known = manager, manager.generation, {name: tuple(same) for name, same in found.items()}
        return self._known[2]

    def usable(self) -> dict[str, Entry]:
        """Return the entries that are unique, not disabled, and not known to be broken, by name."""
        meant = {name: _meant(same) for name, same in self.entries().items()}
        return {
            name: same[0] for name, same in meant.items() if len(same) == 1 and same[0].offer.status.state in _USABLE
        }

    def find(self, name: str) -> Entry | None:
        """Return the entry of a name; None if no loaded plugin has it.

        If several plugins have the name, ``[prefer.<kind>]`` decides; else Renga's own is taken, with a notice.

        Raises:
            AmbiguousProvider: Several plugins have the name, and no setting chooses one.
            RengaPluginError: A required plugin is not ready.
        """
        manager = get_manager()
        manager.check_required()
        same = self.entries().get(name, ())
        meant = _meant(same)
        if len(meant) > 1:
            raise _ambiguous(f"{self.name}.{name}", meant)
        others = [it for it in same if it not in meant and it.offer.status.state is not State.DISABLED]
        if meant and others and _preferred(meant[0]) is None:
            manager.notice(_taken_as_shipped(f"{self.name}.{name}", meant[0], others[0]))
        return meant[0] if meant else None

    def load(self, name: str) -> Any:
        """Import and return the target of a name.

        Raises:
            KeyError: No loaded plugin has it.
            RengaPluginError: See `find` and `Entry.load`.
        """
        entry = self.find(name)
        if entry is None:
            raise KeyError(name)
        origin = f"{self.name}.{name}"
        target = entry.load(origin)
        if not isinstance(entry.offer.provider, Namespace):
            get_manager().announce(Selection(entry.offer, origin))
        return target


def _entries_of(offer: Offer, module: str) -> list[Entry]:
    provider = offer.provider
    if not isinstance(provider, Namespace):
        name = provider.target.partition(":")[2]
        return [] if "." in name else [Entry(name, provider.target, offer)]
    if provider.name != module:
        return []
    return [Entry(name, f"{home}:{name}", offer) for home, names in provider.names.items() for name in names.split()]


def _meant(same: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Of several entries with one name, return those that are meant: one, or all if no setting chooses one."""
    found = tuple(it for it in same if it.offer.status.state is not State.DISABLED) or same
    if len(found) < 2:
        return found
    preferred = tuple(it for it in found if _preferred(it) in it.offer.plugin.names)
    shipped = tuple(it for it in found if it.offer.plugin.shipped)
    return preferred or (shipped if len(shipped) == 1 else found)


def _preferred(entry: Entry) -> str | None:
    """The plugin that the settings prefer for the provider's name."""
    setting = preferences.preferred(entry.offer.kind, entry.offer.name)
    return None if setting is None else str(setting.value)


def _prefer(entry: Entry) -> str:
    offer = entry.offer
    return f'[prefer.{offer.kind.name}] {offer.name} = "{offer.plugin.name}"'


def _ambiguous(name: str, entries: tuple[Entry, ...]) -> AmbiguousProvider:
    lines = "".join(f"\n  - {it.target}   ({it.offer.plugin.origin}, {it.offer.status})" for it in entries)
    return AmbiguousProvider(
        f"{name} is offered by {len(entries)} plugins:{lines}\n"
        f"Choose one: set {_prefer(entries[0])}, or import it from the plugin's own module."
    )


def _taken_as_shipped(name: str, meant: Entry, other: Entry) -> str:
    return (
        f"{name} is {meant.target}, which Renga ships; {other.target} ({other.offer.plugin.origin}) has the same name. "
        f"To use that one, set {_prefer(other)}. To keep Renga's without this notice, set {_prefer(meant)}."
    )
