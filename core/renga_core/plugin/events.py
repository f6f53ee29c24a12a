"""The events: few and coarse, called with keyword arguments; an implementation takes those it wants.

What it returns is not used. One that raises is reported, and disturbs nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .manager import PluginManager
    from .selection import Selection

__all__ = ["EVENTS", "renga_configure", "renga_provider_selected", "renga_run_finish", "renga_run_start"]


def renga_configure(manager: PluginManager) -> None:
    """Plugins have been loaded, and nothing has been chosen yet.

    Args:
        manager: The manager that loaded them.

    Example:
        ::

            from renga_core.plugin import hookimpl


            @hookimpl
            def renga_configure(manager) -> None:
                print(f"{len(manager.plugins())} plugins")
    """


def renga_run_start(config: Mapping[str, Any]) -> None:
    """A training run starts: everything has been checked and built, nothing has been computed.

    Args:
        config: The settings of the run by their full keys, ``{"run.seed": 0, ...}``.

    Example:
        ::

            from renga_core.plugin import hookimpl


            @hookimpl
            def renga_run_start(config) -> None:
                print("seed", config["run.seed"])
    """


def renga_run_finish(config: Mapping[str, Any], error: BaseException | None) -> None:
    """A training run is over.

    Args:
        config: As in `renga_run_start`.
        error: What ended it, or None where it came to its end.

    Example:
        ::

            from renga_core.plugin import hookimpl


            @hookimpl
            def renga_run_finish(config, error) -> None:
                print("failed" if error else "done")
    """


def renga_provider_selected(selection: Selection) -> None:
    """Something was chosen and its target imported; called the first time for each provider.

    Args:
        selection: What was chosen, where its name came from, and what was skipped on the way.

    Example:
        ::

            from renga_core.plugin import hookimpl


            @hookimpl
            def renga_provider_selected(selection) -> None:
                print(selection.offer.full_name, "from", selection.origin)
    """


EVENTS: tuple[Callable[..., None], ...] = (
    renga_configure,
    renga_run_start,
    renga_run_finish,
    renga_provider_selected,
)
