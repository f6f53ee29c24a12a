"""Groups of ranks in the store, and who waits for whom in them."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["Client", "Group"]


@dataclass
class Client:
    """A connection of a process.

    Attributes:
        group, rank: The group that it belongs to, and its rank there.
        where: Host and process, for messages.
        number: Number of its process in a `Job`; -1 without one.
    """

    connection: Connection[Any, Any]
    group: Group | None = None
    rank: int = -1
    where: str = ""
    number: int = -1


@dataclass
class Group:
    """The ranks of one communicator.

    Attributes:
        epoch: Epoch of a `Job`; None for other groups.
        clients: Connections of the ranks that are there.
        gone: Ranks that are not, with the reason.
        came: The current meeting: what each rank calls and contributes, the root, and whether the root sends.
        since: When the first one came.
        mail: Messages by source, destination and tag.
        receiving: Waiting ranks: source and tag of the expected message, and since when they wait.
    """

    name: str
    size: int
    epoch: int | None = None
    clients: dict[int, Client] = field(default_factory=dict)
    gone: dict[int, str] = field(default_factory=dict)
    came: dict[int, tuple[tuple[bytes, bytes], bytes, int | None, bool]] = field(default_factory=dict)
    since: float = 0.0
    mail: dict[tuple[int, int, int], deque[bytes]] = field(default_factory=dict)
    receiving: dict[int, tuple[int, int, float]] = field(default_factory=dict)

    def late(self, patience: float) -> list[int]:
        """Return the ranks for which another one has waited longer than this time in seconds."""
        now = time.monotonic()
        found = set(range(self.size)) - set(self.came) if self.came and now - self.since > patience else set()
        found |= {source for source, _, since in self.receiving.values() if now - since > patience}
        return sorted(found - set(self.receiving))

    def waiting(self) -> set[int]:
        """Return the numbers of the processes that wait in this group."""
        return {self.clients[rank].number for rank in {*self.came, *self.receiving}}
