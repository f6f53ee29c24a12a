"""Everything known about plugins, as rows: `renga plugins list` prints them."""

from __future__ import annotations

from typing import NamedTuple

from renga_core.plugin import PluginManager, Registry, State, Status, get_manager

from .docstrings import summary_of

__all__ = ["Row", "rows"]


class Row(NamedTuple):
    """One line: a provider has kind and name; a failed hook only a name; a plugin that is not ready neither.

    Attributes:
        plugin: Name of the plugin, such as ``optimizers``.
        distribution: The distribution that contains it.
        version: The distribution's version.
        kind: The kind of the provider.
        name: The short name of the provider, or the name of the failed hook.
        state: Its state.
        reason: Why it is in this state.
        next_step: What the user can do.
        summary: A description in one line.
    """

    plugin: str
    distribution: str
    version: str
    kind: str
    name: str
    state: State
    reason: str
    next_step: str
    summary: str


def rows(manager: PluginManager | None = None, *, summaries: bool = True) -> list[Row]:
    """Ask every plugin for its providers of every kind, and return one row for each provider and for each problem.

    No target is imported and no probe is run.

    Args:
        manager: The plugin manager; default: the manager of this process.
        summaries: Whether to read the summaries, which takes longer than the rest: the files of all targets are parsed.

    Returns:
        Rows sorted by plugin, kind and name.
    """
    manager = manager or get_manager()
    offered = [
        (offer.plugin, offer.kind.name, offer.name, status, summary_of(offer) if summaries else "")
        for kind in manager.kinds().values()
        for offer, status in Registry(kind, manager).list()
    ]
    found = [
        (plugin, "", "", plugin.status, "") for plugin in manager.plugins() if plugin.status.state is not State.READY
    ]
    found += [(problem.plugin, problem.kind, problem.hook, problem.status, "") for problem in manager.problems()]
    silent = {id(plugin) for plugin in manager.plugins()} - {id(plugin) for plugin, *_ in (*offered, *found)}
    found += [
        (plugin, "", "", Status(State.READY, "it offers nothing"), "")
        for plugin in manager.plugins()
        if id(plugin) in silent
    ]
    order = {id(plugin): number for number, plugin in enumerate(manager.plugins())}
    return [
        Row(plugin.name, plugin.distribution, plugin.version, kind_name, name, *status, summary)
        for plugin, kind_name, name, status, summary in sorted(
            [*found, *offered], key=lambda item: (order[id(item[0])], item[1], item[2])
        )
    ]
