"""Stage 1: list the installed plugins, and decide which may be imported. No plugin code is imported here."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from renga_core.errors import did_you_mean

from .entry_points import EntryPoint, normalized
from .hookimpl import PROJECT
from .preferences import Rules
from .provider import NAME
from .requirements import check_requirements
from .state import READY, Plugin, State, Status

__all__ = ["discover", "misspelt", "misspelt_providers"]


def discover(found: Iterable[EntryPoint], rules: Rules, installed: Callable[[], str | None]) -> list[Plugin]:
    """Return a plugin for each entry point, with a first status. The order does not depend on ``sys.path``.

    Args:
        found: The entry points.
        rules: Which plugins are disabled or required, and whether others are loaded.
        installed: Returns the version of Renga, for ``Requires-Dist``.
    """
    claims: dict[str, dict[str, dict[str, EntryPoint]]] = {}  # name, distribution, value
    for point in found:
        claims.setdefault(point.name, {}).setdefault(normalized(point.distribution), {})[point.value] = point
    plugins = []
    for name, claimants in sorted(claims.items()):
        for distribution, points in sorted(claimants.items()):
            value, point = min(points.items())
            plain = len(claimants) == 1 or distribution == PROJECT
            own = name if plain else f"{name}@{distribution}"
            plugin = Plugin(
                name=own,
                names=(own,) if plain or PROJECT in claimants else (own, name),
                entry_point=name,
                distribution=point.distribution,
                version=point.version,
                target=value,
                importer=point.load,
            )
            plugin.status = _first_status(plugin, rules, sorted(points), point.requires, installed)
            plugins.append(plugin)
    return plugins


def misspelt(rules: Rules, plugins: Iterable[Plugin]) -> list[str]:
    """Return a warning for each disabled name that is unknown, if it is a near miss or came from ``-p``."""
    known = {name for plugin in plugins for name in plugin.names}
    found = []
    for name in rules.disable:
        plugin = name.partition(":")[0]
        near = did_you_mean(plugin, known)
        if plugin not in known and (near or rules.origin("disable").startswith("command line")):
            found.append(f"plugins.disable names '{name}' (from {rules.origin('disable')}), which is unknown.{near}")
    return found


def misspelt_providers(rules: Rules, plugins: Iterable[Plugin], offered: Iterable[str]) -> list[str]:
    """Return a warning for each disabled ``plugin:name`` that its plugin does not offer.

    Args:
        rules: The disabled names.
        plugins: All plugins.
        offered: The full names of all providers.
    """
    ready = {plugin.name for plugin in plugins if plugin.status.state is State.READY}
    known = set(offered)
    return [
        f"plugins.disable names '{name}' (from {rules.origin('disable')}), which plugin '{name.partition(':')[0]}' "
        f"does not offer.{did_you_mean(name, known)}"
        for name in rules.disable
        if name.partition(":")[0] in ready and ":" in name and name not in known
    ]


def _first_status(
    plugin: Plugin, rules: Rules, values: list[str], requires: Iterable[str], installed: Callable[[], str | None]
) -> Status:
    said = next((name for name in plugin.names if name in rules.disable), None)
    if said is not None:
        where = rules.origin("disable")
        return Status(State.DISABLED, f"'{said}' is in plugins.disable ({where})", f"Remove '{said}' there to use it.")
    if not rules.autoload and not any(name in rules.required for name in plugin.names):
        step = f"Add '{plugin.name}' to plugins.required, or turn plugins.autoload on."
        return Status(State.DISABLED, f"plugins.autoload is off ({rules.origin('autoload')})", step)
    if not NAME.fullmatch(plugin.entry_point):
        reason = f"its entry point is named {plugin.entry_point!r}; expected lower-case letters, digits, _ . -"
        return Status(State.INVALID, reason, f"Rename the entry point in {plugin.distribution}.")
    if len(values) > 1:
        reason = f"{plugin.distribution} has {len(values)} entry points of this name: {', '.join(values)}"
        return Status(State.INVALID, reason, f"Rename one of them in {plugin.distribution}.")
    if plugin.shipped:  # the extras of Renga require Renga
        return READY
    return check_requirements(plugin.distribution, requires, installed())
