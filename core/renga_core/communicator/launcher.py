"""Starting the ranks of a job (kind ``launcher``), for `renga launch` and the conformance kit of communicators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from renga_core.plugin import Offer, ProviderUnavailable, registry

__all__ = ["Launcher", "find_launcher"]


class Launcher(Protocol):
    """Starts ranks. A provider with capability ``hosts``, ``tag`` or ``fault_tolerant`` takes more arguments."""

    def __call__(self, command: Sequence[str], size: int, environment: Mapping[str, str], **more: Any) -> int:
        """Run a command in several processes, wait for all of them, and end all if one fails.

        Args:
            command: The command of each process.
            size: The number of processes.
            environment: Their environment variables.
            more: Arguments for the capabilities that the provider declares, if the user requests them. ``hosts``:
                ``HOST[:RANKS],…``, where to run. ``tag``: True: prefix each line of output with its rank.
                ``fault_tolerant``: True: the others continue when a rank dies; with it ``spares``, the number of
                additional processes that wait to replace a dead rank, and ``least``: the job ends with fewer ranks.

        Returns:
            The exit status: 0 if all processes succeeded, otherwise a nonzero status of a process that failed.
        """
        ...


def find_launcher(communicator: Offer) -> Offer:
    """Return the launcher of a communicator.

    Raises:
        ProviderUnavailable: The communicator names no launcher.
        RengaPluginError: The launcher cannot be used.
    """
    name = communicator.provider.launcher
    if not name:
        raise ProviderUnavailable(
            f"{communicator.kind.name} {communicator.full_name!r} cannot start ranks: its plugin names no launcher.\n"
            "Next: start them as its documentation says. For its author: docs/how-to/write-a-communicator.md"
        )
    return registry("launcher").get(name, origin=f"communicator {communicator.full_name}")
