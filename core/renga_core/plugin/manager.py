"""The plugin manager: finds and loads plugins at the first request, and keeps them."""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from renga_core.settings import settings_state

from . import messages, preferences
from .discovery import discover, misspelt, misspelt_providers
from .entry_points import EntryPoint, installed_entry_points, renga_version
from .errors import RengaPluginError, RengaPluginWarning
from .kind import Kind
from .loading import Loaded, load
from .offers import Offer, collect
from .preferences import Rules
from .selection import Selection
from .state import Plugin, Problem, State, Status, describe_error, pass_interrupt

__all__ = ["PluginManager", "choices_state", "get_manager", "using_manager"]

# One counter for all managers, so that caches that compare `generation` notice a change of manager.
_generations = itertools.count(1)


class PluginManager:
    """Finds plugins and asks them for their providers. Thread-safe.

    Nothing happens before the first request. When the settings under ``plugins`` change, plugins are loaded again at
    the next request.

    Args:
        entry_points: Returns the entry points; default: all installed ones of group ``renga``.
        rules: Returns which plugins are disabled, loaded and required; default: from the settings.

    Attributes:
        generation: Changes whenever plugins change, which makes derived data stale. Zero: nothing is loaded yet.
    """

    def __init__(
        self,
        entry_points: Callable[[], Iterable[EntryPoint]] = installed_entry_points,
        rules: Callable[[], Rules] = preferences.rules,
    ) -> None:
        self.generation = 0
        self._entry_points, self._rules = entry_points, rules
        self._lock = threading.RLock()
        self._registered: list[EntryPoint] = []
        self._loaded: tuple[Rules, Loaded] | None = None
        self._offers: dict[str, tuple[Offer, ...]] = {}
        self._announced: set[str] = set()
        self._busy = False
        self._warned: set[str] = set()
        self._to_warn: list[str] = []

    def plugins(self) -> tuple[Plugin, ...]:
        """Return all plugins in any state, sorted by entry point and distribution."""
        return self._ensure()[1].plugins

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems of parts of plugins that are known so far."""
        return tuple(self._ensure()[1].problems)

    def kinds(self) -> Mapping[str, Kind[Any]]:
        """Return all kinds by name: core's kinds, then those of plugins."""
        return dict(self._ensure()[1].kinds)

    def kind(self, name: str) -> Kind[Any]:
        """Return the kind with this name.

        Raises:
            RengaPluginError: Neither core nor a loaded plugin has this kind.
        """
        kinds = self.kinds()
        if name not in kinds:
            raise messages.unknown_kind(name, kinds)
        return kinds[name]

    def offers(self, kind: Kind[Any]) -> tuple[Offer, ...]:
        """Return the offers of a kind, usable or not, in the order of the plugins.

        Raises:
            RengaPluginError: No loaded plugin adds this kind.
        """
        with self._lock:
            rules, loaded = self._ensure()
            if loaded.kinds.get(kind.name) != kind:
                raise messages.unknown_kind(kind.name, loaded.kinds)
            if kind.name not in self._offers:
                with self._asking():
                    offers, problems = collect(loaded, kind, rules.disable, rules.origin("disable"))
                self._offers[kind.name] = tuple(offers)
                self._add_problems(loaded, problems)
            found = self._offers[kind.name]
        self._warn()
        return found

    def check_required(self) -> None:
        """Raise an error if a required plugin is missing. Called before every choice.

        Raises:
            RengaPluginError: A required plugin is not installed, or not ready.
        """
        rules, loaded = self._ensure()
        ready = {name for plugin in loaded.ready() for name in plugin.names}
        for name in rules.required:
            if name not in ready:
                raise messages.required(name, rules.origin("required"), loaded.plugins)

    def emit(self, event: str, **arguments: Any) -> None:
        """Send an event to plugins (see `events`). If one raises an error, it is reported, and the others still run."""
        self._tell(self._ensure()[1], event, arguments)
        self._warn()

    def announce(self, selection: Selection) -> None:
        """Emit ``renga_provider_selected`` at the first selection of this provider."""
        key = f"{selection.offer.kind.name}/{selection.offer.full_name}"
        with self._lock:
            if key in self._announced:
                return
            self._announced.add(key)
        self.emit("renga_provider_selected", selection=selection)

    def notice(self, text: str) -> None:
        """Issue a warning about plugins, once in this process."""
        with self._lock:
            self._warn_later(text)
        self._warn()

    def register(self, name: str, plugin: object) -> None:
        """Add a plugin without a distribution, such as a module, or an object with hooks in a notebook or a test."""
        with self._lock:
            value = getattr(plugin, "__name__", type(plugin).__name__)
            self._registered.append(EntryPoint(name, value, lambda: plugin))
            self.refresh()

    def refresh(self) -> None:
        """Forget all plugins, so that the next request finds them again. Modules stay imported."""
        with self._lock:
            self._loaded = None
            self.generation = next(_generations)

    def _ensure(self) -> tuple[Rules, Loaded]:
        with self._lock:
            if self._busy:
                raise RengaPluginError("plugins were asked for something while they were being asked what they offer")
            rules = self._rules()
            if self._loaded is None or self._loaded[0] != rules:
                with self._asking():
                    found = [*self._entry_points(), *self._registered]
                    loaded = load(discover(found, rules, renga_version))
                self._loaded, self._offers = (rules, loaded), {}
                self._announced.clear()
                self.generation = next(_generations)
                for plugin in loaded.plugins:
                    self._remember(plugin)
                for problem in loaded.problems:
                    self._remember(problem)
                for text in misspelt(rules, loaded.plugins):
                    self._warn_later(text)
                self._tell(loaded, "renga_configure", {"manager": self})
                if any(":" in name for name in rules.disable):
                    offered = [offer.full_name for kind in loaded.kinds.values() for offer in self.offers(kind)]
                    for text in misspelt_providers(rules, loaded.plugins, offered):
                        self._warn_later(text)
            result = self._loaded
        self._warn()
        return result

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Raise an error if this thread is inside a request: a plugin's hook must not use a half-built list."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    def _tell(self, loaded: Loaded, event: str, arguments: Mapping[str, Any]) -> None:
        for plugin, hook in loaded.implementations(event):
            try:
                hook.function(*[arguments[name] for name in hook.argnames])
            except BaseException as error:
                pass_interrupt(error)
                status = Status(State.BROKEN, f"raised {describe_error(error)}", plugin.blame)
                self._add_problems(loaded, [Problem(plugin, event, "", status, error)])

    def _add_problems(self, loaded: Loaded, problems: Iterable[Problem]) -> None:
        with self._lock:
            for problem in problems:
                loaded.problems.append(problem)
                self._remember(problem)

    def _remember(self, culprit: Plugin | Problem) -> None:
        """Record a problem, and warn later: a warning may be turned into an error, which would interrupt loading."""
        if culprit.status.state in (State.BROKEN, State.INVALID, State.INCOMPATIBLE):
            self._warn_later(f"{culprit} is {culprit.status}. {culprit.status.next_step}")

    def _warn_later(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._to_warn.append(text)

    def _warn(self) -> None:
        while self._to_warn:
            warnings.warn(self._to_warn.pop(0), RengaPluginWarning, stacklevel=2)


_default: PluginManager | None = None
_default_lock = threading.Lock()


def get_manager() -> PluginManager:
    """Return the manager of this process; made at first use."""
    global _default
    if _default is None:
        with _default_lock:
            if _default is None:
                _default = PluginManager()
    return _default


def choices_state() -> tuple[object, ...]:
    """Return a value that changes with plugins or settings, which makes caches stale. Takes less than 1 µs."""
    manager = _default if _default is not None else get_manager()  # avoids a function call
    return manager.generation, settings_state()


@contextmanager
def using_manager(manager: PluginManager) -> Iterator[PluginManager]:
    """Make `manager` the process's manager inside the block; for tests."""
    global _default
    with _default_lock:
        before, _default = _default, manager
    try:
        yield manager
    finally:
        with _default_lock:
            _default = before
