"""Events of plugins: few, and called with keyword arguments; an implementation declares only those it needs.

Return values are ignored. If an implementation raises an error, the error is reported, and the others still run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .manager import PluginManager
    from .selection import Selection

__all__ = ["EVENTS", "renga_configure", "renga_provider_selected", "renga_run_finish", "renga_run_start"]


def renga_configure(manager: PluginManager) -> None:
    """Plugins have been loaded, and no provider has been chosen yet.

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
    """A training run starts: it has been checked and built, and nothing has been computed yet.

    Args:
        config: The settings of the run by full key, ``{"run.seed": 0, ...}``.

    Example:
        ::

            from renga_core.plugin import hookimpl


            @hookimpl
            def renga_run_start(config) -> None:
                print("seed", config["run.seed"])
    """


def renga_run_finish(config: Mapping[str, Any], error: BaseException | None) -> None:
    """A training run has ended.

    Args:
        config: See `renga_run_start`.
        error: The exception that ended it; None if it finished normally.

    Example:
        ::

            from renga_core.plugin import hookimpl


            @hookimpl
            def renga_run_finish(config, error) -> None:
                print("failed" if error else "done")
    """


def renga_provider_selected(selection: Selection) -> None:
    """A provider was chosen and its target imported. Called once for each provider, the first time.

    Args:
        selection: The provider, where its name came from, and what was skipped.

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
