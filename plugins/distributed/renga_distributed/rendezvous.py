"""How ranks that are threads of one process meet; what `threads` is built on."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

from renga_core.communicator import RankFailed

__all__ = ["Group", "Job"]


class Job:
    """All ranks that were launched together, and which of them have come to an end.

    Every wait of a rank is on `changed`: that somebody came, sent something, or will not come any more. Where all ranks
    wait, nothing will change, and all get an error. (A thread that a rank has started for communication of its own does
    not count: no rank may wait for what only such a thread of another sends.)

    Args:
        size: How many ranks.
        ranks_per_node: How many, in order, count as being on one machine; None: all.
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
        """The machine on which a rank counts as being."""
        return rank // self._ranks_per_node

    def begin(self, rank: int) -> None:
        """This thread runs the program of a rank."""
        self._thread_of[rank] = threading.get_ident()

    def fail(self, what: str) -> None:
        """From now on, whoever waits gets `RankFailed` with this sentence; the first one counts."""
        with self.changed:
            self._failure = self._failure or what
            self.change()

    def finish(self, rank: int) -> None:
        """From now on, whoever waits for this rank gets `RankFailed`."""
        with self.changed:
            self._finished.add(rank)
            self.change()

    def change(self) -> None:
        """Have everybody look again, with `changed` held."""
        self._waiting.clear()
        self.changed.notify_all()

    def wait_for(self, ranks: Sequence[int], rank: int, what: str) -> None:
        """Wait for a change, with `changed` held, on behalf of a rank that needs something of `ranks`.

        Raises:
            RankFailed: It will not come.
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
        job: Those they were launched with.
        members: Their ranks in the job, in the order of their ranks in the group.
    """

    def __init__(self, job: Job, members: Sequence[int]) -> None:
        self.job, self.members = job, list(members)
        self._round: dict[int, Any] = {}
        self._mail: dict[tuple[int, int, str, int], deque[Any]] = {}

    def exchange(self, rank: int, given: Any, what: str) -> list[Any]:
        """Wait until every rank has given something; return all, in the order of ranks.

        Everybody gets the same objects: what is given must not change any more.

        Raises:
            RankFailed: A rank will not come.
            RuntimeError: This rank is in a collective of this group already, in another thread.
        """
        with self.job.changed:
            round = self._round
            if rank in round:
                raise RuntimeError(
                    f"two threads of rank {rank} are in collectives of one group at once ({what} is the second): "
                    f"give one of them a group of its own by split()"
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
            RankFailed: It will not come.
        """
        with self.job.changed:
            box = self._mail.setdefault((source, dest, kind, tag), deque())
            while not box:
                self.job.wait_for([self.members[source]], self.members[dest], f"recv from {source} with tag {tag}")
            return box.popleft()
