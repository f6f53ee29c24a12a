"""Stage 1: find the plugins that are installed, and decide which may be imported. No plugin's code is imported here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from .choosing import Rules
from .hookimpl import PROJECT
from .provider import NAME
from .requirements import check_requirements, normalized
from .state import READY, Plugin, State, Status

__all__ = ["EntryPoint", "Registered", "discover", "installed_entry_points", "renga_version"]


PROGRAM = "this program"
"""Who brings a plugin that no distribution brings."""


class _Distribution(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def requires(self) -> list[str] | None: ...


class EntryPoint(Protocol):
    """What is used of an entry point of `importlib_metadata`."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def value(self) -> str: ...  # noqa: D102
    @property
    def dist(self) -> _Distribution | None: ...  # noqa: D102
    def load(self) -> object: ...  # noqa: D102


class Registered:
    """A plugin that the program itself brings, in the shape of an entry point."""

    dist = None

    def __init__(self, name: str, plugin: object) -> None:
        self.name, self.plugin = name, plugin
        self.value = getattr(plugin, "__name__", type(plugin).__name__)

    def load(self) -> object:
        """Return the plugin."""
        return self.plugin


def installed_entry_points() -> Iterable[EntryPoint]:
    """Return the entry points of group ``renga`` of all distributions on ``sys.path``."""
    from importlib_metadata import entry_points  # reads e-mail headers: 15 ms that `import renga` need not pay

    return entry_points(group=PROJECT)


def renga_version() -> str | None:
    """Return the version of the installed distribution ``renga``; None when Renga runs from a bare folder."""
    from importlib_metadata import PackageNotFoundError, version

    try:
        return version("renga")
    except PackageNotFoundError:
        return None


def discover(found: Iterable[EntryPoint], rules: Rules, installed: str | None) -> list[Plugin]:
    """Return a plugin for each entry point, in an order that does not depend on ``sys.path``, with a first status.

    Args:
        found: The entry points.
        rules: What is disabled, required, and whether the rest is loaded.
        installed: Version of Renga, for ``Requires-Dist``.
    """
    unique = {(point.name, _distribution(point), point.value): point for point in found}
    claims: dict[str, set[str]] = {}
    values: dict[tuple[str, str], list[str]] = {}
    for name, distribution, value in unique:
        claims.setdefault(name, set()).add(distribution)
        values.setdefault((name, distribution), []).append(value)
    plugins: dict[tuple[str, str], Plugin] = {}
    for key in sorted(unique):
        name, distribution, value = key
        point = unique[key]
        plugin = Plugin(
            name=name if len(claims[name]) == 1 else f"{name}@{distribution}",
            entry_point=name,
            distribution=point.dist.name if point.dist else distribution,
            version=point.dist.version if point.dist else "",
            target=value,
            importer=_importer(point),
        )
        requires = (point.dist.requires if point.dist else None) or []
        plugin.status = _first_status(plugin, rules, values[name, distribution], requires, installed)
        # The same name twice in one distribution: one entry says so, in place of all.
        plugins.setdefault((name, distribution), plugin)
    return list(plugins.values())


def _distribution(point: EntryPoint) -> str:
    return normalized(point.dist.name) if point.dist else PROGRAM


def _importer(point: EntryPoint) -> Callable[[], object]:
    return lambda: point.load()


def _first_status(
    plugin: Plugin, rules: Rules, values: list[str], requires: list[str], installed: str | None
) -> Status:
    names = (plugin.name, plugin.entry_point)
    said = next((name for name in names if name in rules.disable), None)
    if said is not None:
        where = rules.origin("disable")
        return Status(State.DISABLED, f"'{said}' is in plugins.disable ({where})", f"Remove '{said}' there to use it.")
    if not rules.autoload and not any(name in rules.required for name in names):
        step = f"Add '{plugin.name}' to plugins.required, or turn plugins.autoload on."
        return Status(State.DISABLED, f"plugins.autoload is off ({rules.origin('autoload')})", step)
    if not NAME.fullmatch(plugin.entry_point):
        reason = f"its entry point is called {plugin.entry_point!r}; expected lower-case letters, digits, _ . -"
        return Status(State.INVALID, reason, f"Rename the entry point in {plugin.distribution}.")
    if len(values) > 1:
        reason = f"{plugin.distribution} has {len(values)} entry points of this name: {', '.join(sorted(values))}"
        return Status(State.INVALID, reason, f"Rename one of them in {plugin.distribution}.")
    if normalized(plugin.distribution) == "renga":  # extras of Renga's own name Renga
        return READY
    return check_requirements(plugin.distribution, requires, installed)
