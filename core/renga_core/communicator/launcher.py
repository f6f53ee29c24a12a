"""Starting the ranks of a job: kind ``launcher``, which `renga launch` and the conformance kit of communicators use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from renga_core.plugin import Offer, ProviderUnavailable, registry

__all__ = ["Launcher", "find_launcher"]


class Launcher(Protocol):
    """Starts ranks. A provider with capability ``hosts``, ``tag`` or ``fault_tolerant`` takes more arguments."""

    def __call__(self, command: Sequence[str], size: int, environment: Mapping[str, str], **more: Any) -> int:
        """Run processes of a command, wait for all, and end all when one fails.

        Args:
            command: What each of them runs.
            size: How many.
            environment: Their environment variables.
            more: ``hosts`` (``HOST[:RANKS],…``: where they run) and ``tag`` (True: each line of output begins with the
                rank that wrote it), where the provider declares these capabilities and a user asks for them. With
                ``fault_tolerant``: ``fault_tolerant`` (True: the others go on when a rank dies), ``spares`` (how many
                more processes to start, which wait for the place of a dead rank) and ``least`` (with fewer ranks
                the job ends).

        Returns:
            The exit status: 0 if all ended well, otherwise that of a process that failed, not 0 in any case.
        """
        ...


def find_launcher(communicator: Offer) -> Offer:
    """Return the launcher of a communicator.

    Raises:
        ProviderUnavailable: It names none.
        RengaPluginError: The launcher that it names cannot be used.
    """
    name = communicator.provider.launcher
    if not name:
        raise ProviderUnavailable(
            f"{communicator.kind.name} {communicator.full_name!r} cannot start ranks: its plugin names no launcher.\n"
            "Next: start them as its documentation says; its author: docs/how-to/write-a-communicator.md"
        )
    return registry("launcher").get(name, origin=f"communicator {communicator.full_name}")
