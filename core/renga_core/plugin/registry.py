"""Choosing and loading providers: one interface for all kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar, overload

from . import messages, preferences
from .auto_order import in_auto_order
from .errors import AmbiguousProvider, RengaPluginError
from .kind import Kind
from .manager import PluginManager, get_manager
from .offers import Offer
from .preferences import ARGUMENT
from .provider import AUTO
from .selection import Candidate, Selection, Skipped
from .state import READY, State, Status, pass_interrupt

__all__ = ["Registry", "registry"]

T_co = TypeVar("T_co", covariant=True)
Wish = str | Iterable[str]


@overload
def registry(kind: Kind[T_co]) -> Registry[T_co]: ...
@overload
def registry(kind: str) -> Registry[Any]: ...
def registry(kind: Kind[Any] | str) -> Registry[Any]:
    """Return the providers of a kind: ``registry(OPTIMIZER).load("adam")``.

    Args:
        kind: The kind, or its name. For a `Kind`, no plugin is loaded.

    Raises:
        RengaPluginError: There is no kind with this name.
    """
    manager = get_manager()
    return Registry(manager.kind(kind) if isinstance(kind, str) else kind, manager)


class Registry(Generic[T_co]):
    """The providers of one kind.

    A name is a short name (``cupy``) or a full one (``acme-cupy:cupy``). If several plugins offer a short name,
    ``[prefer.<kind>]`` decides; otherwise Renga's own is taken, with a notice; otherwise the name is ambiguous. **A
    string is a requirement, a list is a preference**: a name given as a string is used, or an error says why not. Of a
    list, the first usable name is taken, and the result says which were skipped and why.

    Args:
        kind: The kind.
        manager: The plugin manager.
    """

    def __init__(self, kind: Kind[T_co], manager: PluginManager) -> None:
        self.kind, self.manager = kind, manager

    def list(self) -> tuple[Candidate, ...]:
        """Return all offers with state, reason and next step. Imports no target."""
        offers = self.manager.offers(self.kind)
        return tuple(Candidate(offer, self._status(offer, offers)) for offer in offers)

    def names(self, *, needing: str = "") -> tuple[str, ...]:
        """Return the names of usable providers, sorted: the short name if it is unique, or else the full name.

        Args:
            needing: Only providers that need this module.
        """
        found = set()
        offers = self.manager.offers(self.kind)
        for offer in offers:
            if needing and needing not in offer.provider.needs:
                continue
            if offer.status is READY:
                found.add(self._name(offer, offers))
        return tuple(sorted(found))

    def automatic(self) -> tuple[str, ...]:
        """Return the names that ``auto`` may choose, in the order in which they are tried.

        Raises:
            UnknownProvider: The plugin of ``[prefer.<kind>] auto`` offers nothing of this kind.
        """
        offers = tuple(it for it in self.manager.offers(self.kind) if it.status.state is not State.DISABLED)
        return tuple(self._name(it, offers) for it in in_auto_order(self.kind, offers))

    def get(self, name: str, *, origin: str = ARGUMENT) -> Offer:
        """Return the offer with this name, if it is ready. Does not import its target.

        Args:
            name: A short or full name.
            origin: Where the name came from, for messages.

        Raises:
            UnknownProvider, AmbiguousProvider, ProviderUnavailable, ProviderIncompatible, ProviderFaulty
        """
        return self.select(name, origin=origin).offer

    def load(self, name: Wish | None = None, *, origin: str = ARGUMENT, probe: bool = False) -> T_co:
        """Choose a provider, import its target and return it.

        Args:
            name: A name that must be used, or several in order of preference; None: from the settings.
            origin: Where `name` came from, for messages.
            probe: Run the provider's probe first. Set it before computing.

        Raises:
            UnknownProvider: No plugin offers the name.
            AmbiguousProvider: Several plugins offer it, and no setting chooses one.
            ProviderUnavailable: The provider is disabled, or cannot work here.
            ProviderIncompatible: The provider was made for another revision of the kind's interface.
            ProviderFaulty: Importing the provider raised an error, which is the cause.
        """
        selection = self._choose(name, origin, lambda offer: _try_load(offer, probe))
        self.manager.announce(selection)
        target: T_co = selection.offer.load()
        return target

    def select(self, name: Wish | None = None, *, origin: str = ARGUMENT, probe: bool = False) -> Selection:
        """Choose like `load`, but import no target.

        Returns:
            The provider, where its name came from, and what was skipped.
        """
        return self._choose(name, origin, Offer.probe if probe else lambda offer: offer.status)

    def wish(self, name: Wish | None, origin: str) -> tuple[str | tuple[str, ...] | None, str]:
        """Return the name or names to choose from (None: there is no setting), and where they come from."""
        wish, origin = preferences.chosen(self.kind) if name is None else (name, origin)
        if wish is None or wish == AUTO:
            names = (self.automatic() or (AUTO,)) if self.kind.default == AUTO else self.kind.default or None
            return names, "default" if wish is None else f"{AUTO!r}, {origin}"
        return (wish if isinstance(wish, str) else tuple(wish)), origin

    def _choose(self, name: Wish | None, origin: str, test: Callable[[Offer], Status]) -> Selection:
        wish, origin = self.wish(name, origin)
        self.manager.check_required()
        if wish is None:
            what, some = self.kind.name, ", ".join(self.names()[:3]) or "(none is ready)"
            step = f"name one, such as {some}{f', or set {self.kind.config_key}' if self.kind.config_key else ''}"
            raise RengaPluginError(f"no {what} was named.\nNext: {step}. `renga plugins list {what}` lists all.")
        if isinstance(wish, str):
            return Selection(self._demand(wish, origin, test), origin)
        skipped: list[Skipped] = []
        for word in wish:
            try:
                return Selection(self._demand(word, origin, test), origin, tuple(skipped))
            except AmbiguousProvider:
                raise  # skipping it would make the choice depend on what is installed
            except RengaPluginError as error:
                skipped.append(Skipped(word, error.reason))
        if not self.manager.offers(self.kind):
            raise messages.unknown(self.kind, "' or '".join(wish), origin, (), self._unloaded())
        raise messages.none_usable(self.kind, wish, origin, skipped)

    def _demand(self, name: str, origin: str, test: Callable[[Offer], Status]) -> Offer:
        offer = self._find(name, origin)
        status = offer.status
        if status.state is State.READY:
            status = test(offer)
        if status.state is not State.READY:
            raise messages.unusable(self.kind, name, origin, offer, status) from offer.error
        return offer

    def _find(self, name: str, origin: str) -> Offer:
        offers = self.manager.offers(self.kind)
        owner, _, short = name.rpartition(":")
        if owner:
            found = tuple(offer for offer in offers if offer.name == short and _is_called(offer, owner))
        else:
            found = self._rivals(short, offers)
            self._tell_whose(short, found, offers)
        if len(found) == 1:
            return found[0]
        if found:
            raise messages.ambiguous(self.kind, name, origin, found)
        raise self._not_found(name, owner, origin, offers)

    def _rivals(self, name: str, offers: tuple[Offer, ...]) -> tuple[Offer, ...]:
        """Return the offers that a short name may mean: one, or several if third parties share it.

        A name of Renga's own keeps its meaning, so that installing a plugin breaks no program.
        """
        named = tuple(offer for offer in offers if offer.name == name)
        found = tuple(offer for offer in named if offer.status.state is not State.DISABLED) or named
        preference = preferences.preferred(self.kind, name) if found else None
        if preference is None:
            shipped = tuple(offer for offer in found if offer.plugin.shipped)
            return shipped if len(shipped) == 1 else found
        of_preferred = tuple(offer for offer in found if _is_called(offer, preference.value))
        if not of_preferred:
            raise messages.wrong_preference(self.kind, name, preference.value, preference.origin, found)
        return of_preferred

    def _tell_whose(self, name: str, meant: tuple[Offer, ...], offers: tuple[Offer, ...]) -> None:
        """Warn once that a name means Renga's provider although others offer the same name."""
        others = [it for it in offers if it.name == name and it not in meant and it.status.state is not State.DISABLED]
        if len(meant) == 1 and others and preferences.preferred(self.kind, name) is None:
            self.manager.notice(messages.taken_as_shipped(meant[0], others))

    def _name(self, offer: Offer, offers: tuple[Offer, ...]) -> str:
        """Return the name that selects an offer: the short name if it is unique."""
        if not self.kind.unique:
            return offer.name
        try:
            return offer.name if self._rivals(offer.name, offers) == (offer,) else offer.full_name
        except RengaPluginError:
            return offer.name  # the preferred plugin is missing; selecting the name raises the error

    def _not_found(self, name: str, owner: str, origin: str, offers: tuple[Offer, ...]) -> Exception:
        problems = [problem for problem in self.manager.problems() if problem.kind == self.kind.name]
        for plugin in self.manager.plugins():
            if owner not in plugin.names:
                continue
            if plugin.status.state is not State.READY:
                return messages.unusable(self.kind, name, origin, plugin, plugin.status)
            for problem in problems:
                if problem.plugin is plugin:
                    return messages.unusable(self.kind, name, origin, problem, problem.status)
        known = [offer.full_name if owner else offer.name for offer in offers]
        return messages.unknown(self.kind, name, origin, known, self._unloaded())

    def _unloaded(self) -> tuple[str, ...]:
        """Describe the plugins that are not ready and might offer more names."""
        plugins = [f"{it}: {it.status}" for it in self.manager.plugins() if it.status.state is not State.READY]
        problems = [f"{it}: {it.status}" for it in self.manager.problems() if it.kind in ("", self.kind.name)]
        return (*plugins, *problems)

    def _status(self, offer: Offer, offers: tuple[Offer, ...]) -> Status:
        if not self.kind.unique or offer.status.state not in (State.READY, State.UNAVAILABLE):
            return offer.status
        try:
            rivals = self._rivals(offer.name, offers)
        except RengaPluginError:
            return offer.status  # the preferred plugin is missing; selecting the name raises the error
        if rivals == (offer,) or (offer not in rivals and offer.status.state is not State.READY):
            return offer.status
        if offer not in rivals:
            prefer = f'[prefer.{self.kind.name}] {offer.name} = "{offer.plugin.name}"'
            step = f"Use the full name {offer.full_name}, or set {prefer}."
            return Status(State.READY, f"'{offer.name}' alone means {rivals[0].full_name}", step)
        others = ", ".join(rival.full_name for rival in rivals if rival is not offer)
        step = f'Use the full name, or set [prefer.{self.kind.name}] {offer.name} = "{offer.plugin.name}".'
        return Status(State.AMBIGUOUS, f"'{offer.name}' is also offered as {others}", step)


def _is_called(offer: Offer, plugin: str) -> bool:
    return plugin in offer.plugin.names


def _try_load(offer: Offer, probe: bool) -> Status:
    # The probe comes first: its sentence explains more than an ImportError.
    status = offer.probe() if probe else READY
    if status.state is State.READY:
        try:
            offer.load()
        except BaseException as error:
            pass_interrupt(error)
            return offer.status
    return status
