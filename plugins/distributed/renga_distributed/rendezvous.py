"""Synchronization of ranks that are threads of one process; the base of `threads`."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

from renga_core.communicator import RankFailed

__all__ = ["Group", "Job"]


class Job:
    """All ranks that were launched together, and which of them have ended.

    A rank always waits on the condition `changed`, which is notified when another rank arrives, sends something, or
    ends. If all ranks wait, nothing can change, and all get an error. (Additional threads that a rank starts for
    communication are not
    counted: no rank may wait for a message that only such a thread sends.)

    Args:
        size: Number of ranks.
        ranks_per_node: Number of consecutive ranks that count as one machine; None: all.
    """

    def __init__(self, size: int, ranks_per_node: int | None = None) -> None:
        self.changed = threading.Condition()
        self._size = size
        self._ranks_per_node = size if ranks_per_node is None else ranks_per_node
        self._failure: str | None = None
        self._finished: set[int] = set()
        self._thread_of: dict[int, int] = {}
        self._waiting: dict[int, str] = {}

    def node_of(self, rank: int) -> int:
        """The number of the machine that a rank is counted on."""
        return rank // self._ranks_per_node

    def begin(self, rank: int) -> None:
        """Record that this thread runs the program of a rank."""
        self._thread_of[rank] = threading.get_ident()

    def fail(self, what: str) -> None:
        """From now on, every waiting rank gets `RankFailed` with this sentence; only the first call has an effect."""
        with self.changed:
            self._failure = self._failure or what
            self.change()

    def finish(self, rank: int) -> None:
        """From now on, ranks that wait for this rank get `RankFailed`."""
        with self.changed:
            self._finished.add(rank)
            self.change()

    def change(self) -> None:
        """Wake all waiting ranks, with `changed` held."""
        self._waiting.clear()
        self.changed.notify_all()

    def wait_for(self, ranks: Sequence[int], rank: int, what: str) -> None:
        """Wait for a change, with `changed` held, on behalf of a rank that needs something of `ranks`.

        Raises:
            RankFailed: The rank has ended.
        """
        for needed in ranks:
            if needed in self._finished:
                raise RankFailed(f"rank {needed} has ended its program and cannot take part in {what}")
        if self._failure is None and self._thread_of.get(rank) == threading.get_ident():
            self._waiting[rank] = what
            if len(self._waiting) + len(self._finished) == self._size:
                places = ", ".join(f"rank {rank} in {what}" for rank, what in sorted(self._waiting.items()))
                self.fail(f"all ranks wait for others ({places})")
        if self._failure is not None:
            raise RankFailed(f"{self._failure}; this rank was waiting in {what}")
        self.changed.wait()


class Group:
    """The ranks of one communicator.

    Args:
        job: The ranks that were launched together.
        members: Their ranks in the job, in the order of their ranks in the group.
    """

    def __init__(self, job: Job, members: Sequence[int]) -> None:
        self.job, self.members = job, list(members)
        self._round: dict[int, Any] = {}
        self._mail: dict[tuple[int, int, str, int], deque[Any]] = {}

    def exchange(self, rank: int, given: Any, what: str) -> list[Any]:
        """Wait until every rank has passed an object; return all objects, in the order of ranks.

        All ranks get the same objects, so they must not change afterwards.

        Raises:
            RankFailed: A rank will not come.
            RuntimeError: Another thread of this rank is already in a collective of this group.
        """
        with self.job.changed:
            round = self._round
            if rank in round:
                raise RuntimeError(
                    f"two threads of rank {rank} are in collectives of one group at once ({what} is the second): "
                    f"create a separate group for one of them by split()"
                )
            round[rank] = given
            if len(round) == len(self.members):
                self._round = {}  # the next one's
                self.job.change()
            try:
                while len(round) < len(self.members):
                    missing = [member for i, member in enumerate(self.members) if i not in round]
                    self.job.wait_for(missing, self.members[rank], what)
            except BaseException:
                del round[rank]
                raise
        return [round[i] for i in range(len(self.members))]

    def post(self, source: int, dest: int, kind: str, tag: int, message: Any) -> None:
        """Leave a message for a rank; never waits."""
        with self.job.changed:
            self._mail.setdefault((source, dest, kind, tag), deque()).append(message)
            self.job.change()

    def fetch(self, source: int, dest: int, kind: str, tag: int) -> Any:
        """Wait for a message: those of one source, kind and tag come in the order in which they were posted.

        Raises:
            RankFailed: The rank has ended.
        """
        with self.job.changed:
            box = self._mail.setdefault((source, dest, kind, tag), deque())
            while not box:
                self.job.wait_for([self.members[source]], self.members[dest], f"recv from {source} with tag {tag}")
            return box.popleft()
