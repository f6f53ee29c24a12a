"""Stages 3 to 5: ask plugins for the providers of a kind, check whether they can be used, import them."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

from .errors import ProviderUnavailable
from .kind import Kind
from .loading import Loaded, fault, listed
from .provider import Provider, resolve
from .state import READY, Plugin, Problem, State, Status, describe_error, describe_value, pass_interrupt

__all__ = ["Offer", "collect"]


class Offer:
    """A provider of a plugin.

    Attributes:
        kind: The kind.
        plugin: The plugin.
        provider: Its description.
        error: The error that importing its target, or its probe, raised.
    """

    def __init__(self, kind: Kind[Any], plugin: Plugin, provider: Provider, fixed: Status = READY) -> None:
        self.kind, self.plugin, self.provider = kind, plugin, provider
        self.error: BaseException | None = None
        self._fixed = fixed
        self._target: Any = None
        self._imported = False

    @property
    def name(self) -> str:
        """The short name."""
        return self.provider.name

    @property
    def full_name(self) -> str:
        """``plugin:name``, which is never ambiguous."""
        return f"{self.plugin.name}:{self.provider.name}"

    def __repr__(self) -> str:
        return f"<Offer {self.kind.name} {self.full_name}>"

    @property
    def status(self) -> Status:
        """Stage 4: its state, without importing it. Modules are searched each time: one may be installed later."""
        if self._fixed is not READY:
            return self._fixed
        if self.provider.revision not in self.kind.revisions:
            return _incompatible(self)
        missing = [name for name in self.provider.needs if not _is_installed(name)]
        if missing:
            names = " and ".join(f"'{name}'" for name in missing)
            reason = f"module {names} is not installed" if len(missing) == 1 else f"modules {names} are not installed"
            return Status(State.UNAVAILABLE, reason, self.provider.install_hint or f"Install {names}.")
        return READY

    def load(self) -> Any:
        """Stage 5: import the target and return it. An error is kept, and raised again by later calls.

        Raises:
            BaseException: Importing raised it; `status` then describes it.
        """
        if not self._imported:
            self._target = self._guarded("importing", self.provider.target)
            self._imported = True
        return self._target

    def probe(self) -> Status:
        """Run the probe, if there is one; return whether the provider can work on this machine."""
        if not self.provider.probe:
            return self.status
        try:
            answer = self._guarded("importing", self.provider.probe)()
        except BaseException as error:
            pass_interrupt(error)
            if self._fixed is READY:
                self.fail(error, f"probe {self.provider.probe} raised {describe_error(error)}")
            return self._fixed
        if answer is None:
            return self.status
        if not isinstance(answer, str):
            reason = f"probe {self.provider.probe} returned {describe_value(answer)}; expected None or a sentence"
            return Status(State.INVALID, reason, self._blame())
        step = self.provider.install_hint or self.provider.url or "Choose another."
        return Status(State.UNAVAILABLE, answer.strip().rstrip("."), step)

    def _guarded(self, doing: str, target: str) -> Any:
        if self.error is not None:
            raise self.error
        try:
            return resolve(target)
        except ProviderUnavailable as error:  # its base is disabled or missing, which is not its own fault
            reason, _, step = str(error).partition("\nNext: ")
            self.error, self._fixed = error, Status(State.UNAVAILABLE, reason.rstrip("."), step or self._blame())
            raise
        except BaseException as error:
            pass_interrupt(error)
            self.fail(error, f"{doing} {target} raised {describe_error(error)}")
            raise

    def fail(self, error: BaseException, reason: str) -> None:
        """Mark the plugin as broken, because its code raised an error."""
        self.error = error
        self._fixed = Status(State.BROKEN, reason, self._blame())

    def _blame(self) -> str:
        where = f" ({self.provider.url})" if self.provider.url else ""
        return f"Report it to {self.plugin.distribution}{where}, or choose another {self.kind.name}."


def collect(loaded: Loaded, kind: Kind[Any], disabled: Sequence[str], origin: str) -> tuple[list[Offer], list[Problem]]:
    """Stage 3: call the hook of a kind, on one plugin after another.

    Args:
        loaded: The plugins.
        kind: The kind of the hook.
        disabled: Disabled names; those of providers (``plugin:name``) are not offered.
        origin: Where these names come from.

    Returns:
        The offers, and the problems.
    """
    offers: list[Offer] = []
    problems: list[Problem] = []
    for plugin, hook in loaded.implementations(kind.hook):
        try:
            described = listed(hook.function())
        except BaseException as error:
            pass_interrupt(error)
            problems.append(Problem(plugin, kind.hook, kind.name, fault(plugin, error), error))
            continue
        by_name: dict[str, list[Provider]] = {}
        for item in described:
            if isinstance(item, kind.spec):
                by_name.setdefault(item.name, []).append(item)
            else:
                reason = f"returned {describe_value(item)} where a {kind.spec.__name__} was expected"
                problems.append(Problem(plugin, kind.hook, kind.name, Status(State.INVALID, reason, plugin.blame)))
        for name, same in by_name.items():
            status = READY
            if f"{plugin.name}:{name}" in disabled:
                reason = f"'{plugin.name}:{name}' is in plugins.disable ({origin})"
                status = Status(State.DISABLED, reason, f"Remove '{plugin.name}:{name}' there to use it.")
            elif len(same) > 1:
                status = Status(State.INVALID, f"its plugin describes '{name}' {len(same)} times", plugin.blame)
            offers.append(Offer(kind, plugin, same[0], status))
    return offers, problems


def _incompatible(offer: Offer) -> Status:
    revisions, revision = offer.kind.revisions, offer.provider.revision
    has = f"revision{'s' if len(revisions) > 1 else ''} {', '.join(str(number) for number in revisions)}"
    reason = f"it was made for revision {revision} of the {offer.kind.name} interface, and this Renga has {has}"
    if revision > revisions[-1]:
        step = f"Upgrade renga, or install an older {offer.plugin.distribution}."
    else:
        step = f"Upgrade {offer.plugin.distribution}: pip install --upgrade {offer.plugin.distribution}"
    return Status(State.INCOMPATIBLE, reason, step)


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ValueError, ImportError):  # added to sys.modules without a specification: it exists
        return True
