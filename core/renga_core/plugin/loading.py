"""Stage 2: import the modules of the plugins that may be imported, and check their hooks."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from renga_core.errors import did_you_mean

from .errors import InvalidDescription, RengaPluginError
from .hookimpl import PROJECT
from .hookspecs import KINDS_HOOK, specification
from .kind import Kind
from .provider import resolve
from .state import Plugin, Problem, State, Status, describe_error, describe_value, pass_interrupt

if TYPE_CHECKING:
    import pluggy

__all__ = ["Loaded", "fault", "listed", "load"]

CORE_KINDS = "renga_core.kinds:CORE_KINDS"
"""Where core defines its kinds; named like a provider's target, because this package does not import them."""


class Loaded:
    """The loaded plugins.

    Attributes:
        plugins: All plugins in any state, in order.
        kinds: All kinds, by name.
        problems: Problems of parts of plugins; later problems are added.
    """

    def __init__(self, plugins: Iterable[Plugin]) -> None:
        pluggy = _import_pluggy()
        self.plugins: tuple[Plugin, ...] = tuple(plugins)
        self.kinds: dict[str, Kind[Any]] = {kind.name: kind for kind in resolve(CORE_KINDS)}
        self.problems: list[Problem] = []
        self._hooks = pluggy.PluginManager(PROJECT)

    def ready(self) -> list[Plugin]:
        """Return the plugins that were imported without errors."""
        return [plugin for plugin in self.plugins if plugin.status.state is State.READY]

    def implementations(self, hook: str) -> list[tuple[Plugin, pluggy.HookImpl]]:
        """Return the plugins that implement a hook, in order."""
        return _implementations(self._hooks, hook, self.plugins)

    def import_plugins(self) -> None:
        """Import the target of each entry point. If one raises an error, only that plugin is marked broken."""
        seen: dict[int, Plugin] = {}
        for plugin in self.ready():
            try:
                plugin.module = plugin.importer()
            except BaseException as error:
                pass_interrupt(error)
                plugin.error = error
                reason = f"importing {plugin.target} raised {describe_error(error)}"
                plugin.status = Status(State.BROKEN, reason, plugin.blame)
                continue
            first = seen.setdefault(id(plugin.module), plugin)
            if first is not plugin:
                reason = f"its entry point names the same {plugin.target} as {first}"
                step = f"Remove one of the entry points from {plugin.distribution}."
                plugin.status = Status(State.INVALID, reason, step)

    def add_kinds(self) -> None:
        """Ask plugins for the kinds that they add. A kind that two plugins define differently is refused to both."""
        # A separate pluggy manager: the answers decide which other hooks exist.
        asked = _import_pluggy().PluginManager(PROJECT)
        asked.add_hookspecs(specification(()))
        for plugin in self.ready():
            try:
                asked.register(plugin.module, plugin.name)
            except BaseException as error:
                pass_interrupt(error)
                continue  # `register_hooks` finds and reports the same error
        offered: list[tuple[Plugin, Kind[Any]]] = []
        for plugin, hook in _implementations(asked, KINDS_HOOK, self.plugins):
            try:
                kinds = listed(hook.function())
            except BaseException as error:
                pass_interrupt(error)
                self.problems.append(Problem(plugin, KINDS_HOOK, "", fault(plugin, error), error))
                continue
            for kind in kinds:
                if isinstance(kind, Kind):
                    offered.append((plugin, kind))
                else:
                    reason = f"returned {describe_value(kind)} where a Kind was expected"
                    self._refuse_kind(plugin, reason)
        for plugin, kind in offered:
            rivals = [other for other, rival in offered if rival != kind and _same_place(rival, kind)]
            if any(_same_place(core, kind) for core in resolve(CORE_KINDS)):
                self._refuse_kind(plugin, f"core already has a kind '{kind.name}' or its hook")
            elif rivals:
                reason = f"kind '{kind.name}' is defined differently by {rivals[0]}"
                self._refuse_kind(plugin, reason)
            else:
                self.kinds[kind.name] = kind

    def register_hooks(self) -> None:
        """Register each plugin's hooks; report hooks that are unknown, unmarked, or take unknown arguments."""
        self._hooks.add_hookspecs(specification(self.kinds.values()))
        known = sorted(vars(self._hooks.hook))
        for plugin in self.ready():
            try:
                self._hooks.register(plugin.module, plugin.name)
            except BaseException as error:
                pass_interrupt(error)
                plugin.error = error
                # The first line of pluggy's message repeats the plugin's name.
                detail = "; ".join(str(error).splitlines()[1:]) or describe_error(error)
                plugin.status = Status(State.INVALID, f"its hooks are refused: {detail}", plugin.blame)
                continue
            self._find_unmarked(plugin, known)
        for hook in sorted(set(vars(self._hooks.hook)) - set(known)):
            for plugin, implementation in self.implementations(hook):
                if not implementation.optionalhook:
                    near = did_you_mean(hook, known).strip()
                    step = near or f"Hooks there are: {', '.join(known)}."
                    status = Status(State.INVALID, "there is no such hook", step)
                    self.problems.append(Problem(plugin, hook, "", status))

    def _find_unmarked(self, plugin: Plugin, known: Iterable[str]) -> None:
        own = vars(plugin.module) if isinstance(plugin.module, ModuleType) else None
        for hook in known:
            found = inspect.getattr_static(plugin.module, hook, None) if own is None else own.get(hook)
            if inspect.isfunction(found) and not hasattr(found, f"{PROJECT}_impl"):
                status = Status(State.INVALID, "it is not marked as a hook", "Put @hookimpl above it.")
                self.problems.append(Problem(plugin, hook, "", status))

    def _refuse_kind(self, plugin: Plugin, reason: str) -> None:
        self.problems.append(Problem(plugin, KINDS_HOOK, "", Status(State.INVALID, reason, plugin.blame)))


def load(plugins: Iterable[Plugin]) -> Loaded:
    """Import the plugins that may be imported, add their kinds, and register their hooks."""
    loaded = Loaded(plugins)
    loaded.import_plugins()
    loaded.add_kinds()
    loaded.register_hooks()
    return loaded


def _import_pluggy() -> Any:
    try:
        import pluggy
    except ModuleNotFoundError:
        raise RengaPluginError(
            "plugins need module 'pluggy', which is not installed.\nNext: pip install pluggy"
        ) from None
    return pluggy


def listed(returned: object) -> list[Any]:
    """Convert a hook's return value to a list. Called inside the guard, because a generator may raise an error."""
    if isinstance(returned, (str, bytes)) or not isinstance(returned, Iterable):
        raise InvalidDescription(f"returned {describe_value(returned)} where a list was expected")
    return list(returned)


def fault(plugin: Plugin, error: BaseException) -> Status:
    """The status of a hook that raised an error: invalid if a description is wrong, otherwise broken."""
    if isinstance(error, InvalidDescription):
        return Status(State.INVALID, str(error), plugin.blame)
    return Status(State.BROKEN, f"raised {describe_error(error)}", plugin.blame)


def _implementations(
    manager: pluggy.PluginManager, hook: str, plugins: Iterable[Plugin]
) -> list[tuple[Plugin, pluggy.HookImpl]]:
    caller = getattr(manager.hook, hook, None)
    if caller is None:
        return []
    found = {implementation.plugin_name: implementation for implementation in caller.get_hookimpls()}
    return [(plugin, found[plugin.name]) for plugin in plugins if plugin.name in found]


def _same_place(one: Kind[Any], other: Kind[Any]) -> bool:
    return one.name == other.name or one.hook == other.hook
