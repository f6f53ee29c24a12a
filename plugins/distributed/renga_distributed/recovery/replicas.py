"""In-memory replicas, on the next rank, of state that only one rank holds.

Before each vote, each rank sends changes since the last vote to the next rank in a ring. If the vote succeeds, all
ranks keep the received replicas. So after each vote, the owner and its neighbour have the state of that vote, and an
undone attempt returns to it. If a rank dies, its neighbour sends the replica to the replacement; without one, the state
is divided anew.

ReStore (Hübner, Hespe, Sanders, Stamatakis, arXiv:2203.01107) and Gemini (Wang et al., SOSP 2023) keep replicas in the
memory of peers in this way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from renga_comm_base.resilience import ResilientBase
from renga_core.errors import RengaError
from renga_distributed.optimizers.private import Private, State

__all__ = ["Replicas"]

_TAG = 20231
"""The tag of these messages, which separates them from the program's."""


class _Told(NamedTuple):
    """The message that ranks exchange when the group has changed.

    Attributes:
        place: The rank whose state this process holds; None if it holds none.
        held: The ranks whose replicas it has.
        ranks: The number of ranks. Rank numbers refer to the group of the last vote, or to the first group.
        voted: Whether there has been a vote. Before that, ranks, also newcomers, hold their initial state.
        changed: Names of state changed since the last vote.
        indivisible: Why its state cannot be divided.
    """

    place: int | None
    held: tuple[int, ...]
    ranks: int
    voted: bool
    changed: tuple[str, ...]
    indivisible: str


@dataclass
class _Pending:
    """The state that becomes valid with the next vote.

    Attributes:
        sent: The state of this rank.
        held: Replicas by rank.
        take: Whether it replaces the state that this rank has held until now.
    """

    sent: State
    held: dict[int, State]
    take: bool


class Replicas:
    """Replicates this rank's own state on the next rank, and keeps replicas of the previous rank's state.

    Args:
        communicator: The group.
        parts: The parts of the state, by name.
    """

    def __init__(self, communicator: ResilientBase, parts: Mapping[str, Private]) -> None:
        self._communicator, self._parts = communicator, parts
        newcomer = communicator.is_spare or communicator.lacks_state
        self._place = None if newcomer else communicator.rank
        self._ranks = 0 if newcomer else communicator.size
        self._voted = False
        self._sent: State = {}
        self._held: dict[int, State] = {}
        self._pending: _Pending | None = None
        self._found: State | None = None
        self._shared_out = False

    # --- votes --------------------------------------------------------------------------------------------------------

    def offer(self) -> None:
        """Send changes to the next rank; call `adopt` after a successful vote. Collective.

        Raises:
            RanksLost: A rank has died.
        """
        self._offer(self._own(), self._sent, self._held.get(self._before(), {}), take=False)

    def adopt(self) -> None:
        """After a successful vote, make the offered state valid."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        self._sent, self._held = pending.sent, pending.held
        self._place, self._ranks, self._voted = self._communicator.rank, self._communicator.size, True
        if pending.take:
            self._take(pending.sent)

    def spread(self) -> None:
        """Send all state to every rank, so that any rank may leave. Collective."""
        self._held = dict(enumerate(self._communicator.allgather_obj(self._sent)))

    # --- changes of the group -----------------------------------------------------------------------------------------

    def find(self) -> None:
        """After a change of the group, find the state of each rank. Collective.

        Raises:
            RanksLost: A rank has died meanwhile.
            RengaError: Ranks and those that had their replicas have died, or another number of ranks cannot go on.
        """
        self._pending, self._found, self._shared_out = None, None, False
        comm = self._communicator
        told = comm.allgather_obj(self._tell())
        owners = {each.place: rank for rank, each in enumerate(told) if each.place is not None}
        ranks = max(each.ranks for each in told)
        voted = any(each.voted for each in told)
        missing = [place for place in range(ranks) if place not in owners] if voted else []
        holders = {place: rank for place in missing for rank, each in enumerate(told) if place in each.held}
        _check_unchanged(told)
        if lost := [place for place in missing if place not in holders]:
            raise RengaError(self._lost(lost))
        if comm.size == ranks and all(each.place in (None, rank) for rank, each in enumerate(told)):
            for place, holder in holders.items():
                if comm.rank == holder:
                    comm.send_obj(self._held[place], place, _TAG)
                elif comm.rank == place:
                    self._found = comm.recv_obj(holder, _TAG)
                    self._ranks, self._voted = ranks, True
            return
        if reasons := sorted({each.indivisible for each in told if each.indivisible}):
            raise RengaError(
                f"{ranks} ranks have become {comm.size}, or have other places, and they cannot go on so: "
                f"{'; '.join(reasons)}. Next: go on with --resume on {ranks} ranks, and start the job with "
                "--spares 1 or --respawn 1 --wait, so that somebody takes the place"
            )
        if not voted:
            return
        mine = {} if self._place is None else {self._place: self._sent}
        mine |= {place: self._held[place] for place, holder in holders.items() if comm.rank == holder}
        states = {place: state for given in comm.allgather_obj(mine) for place, state in given.items()}
        self._found, self._shared_out = self._share_out([states[place] for place in range(ranks)]), True

    def renew(self) -> None:
        """Take the found state, and create all replicas again; call `adopt` after a successful vote. Collective.

        Raises:
            RanksLost: A rank has died meanwhile.
        """
        found, self._found = self._found, None
        if found is not None and not self._shared_out:
            # It equals the lost state, also if another rank dies before the vote.
            self._take(found)
            self._sent, self._place = found, self._communicator.rank
        if found is not None or self._voted:
            self._offer(self._sent if found is None else found, {}, {}, take=self._shared_out)

    # --- the rest -----------------------------------------------------------------------------------------------------

    def _own(self) -> State:
        return {f"{name}:{key}": value for name, part in self._parts.items() for key, value in part.own().items()}

    def _take(self, state: State) -> None:
        for name, part in self._parts.items():
            part.take(_of(name, state))

    def _share_out(self, states: list[State]) -> State:
        found: State = {}
        for name, part in self._parts.items():
            shared = part.share_out([_of(name, state) for state in states])
            found |= {f"{name}:{key}": value for key, value in shared.items()}
        return found

    def _before(self) -> int:
        return (self._communicator.rank - 1) % self._communicator.size

    def _offer(self, mine: State, sent: State, held: State, take: bool) -> None:
        comm = self._communicator
        changed = {key: value.copy() for key, value in mine.items() if not _same(value, sent.get(key))}
        gone = [key for key in sent if key not in mine]
        replicas = {}
        if comm.size > 1:
            new, lost = self._exchange((changed, gone))
            replicas[self._before()] = _updated(held, new, lost)
        self._pending = _Pending(_updated(sent, changed, gone), replicas, take)

    def _exchange(self, message: Any) -> Any:
        """Send to the next rank, receive from the one before."""
        comm = self._communicator
        after, before = (comm.rank + 1) % comm.size, self._before()

        def send() -> None:
            comm.send_obj(message, after, _TAG)

        if comm.rank % 2 == 0:  # sending may block, so odd ranks receive first
            send()
            return comm.recv_obj(before, _TAG)
        received = comm.recv_obj(before, _TAG)
        send()
        return received

    def _tell(self) -> _Told:
        if self._place is None:
            return _Told(None, (), 0, False, (), "")
        own = self._own() if self._voted else {}
        changed = [key for key in {**own, **self._sent} if not _same(own.get(key), self._sent.get(key))]
        reasons = [reason for part in self._parts.values() if (reason := part.indivisible())]
        return _Told(self._place, tuple(self._held), self._ranks, self._voted, tuple(changed), "; ".join(reasons))

    def _lost(self, places: list[int]) -> str:
        whose = f"rank{'s' if len(places) > 1 else ''} {', '.join(map(str, places))}"
        what = ", ".join(dict.fromkeys(part.what for part in self._parts.values()))
        return (
            f"{whose} died, and so did the next rank, which had the replica of what only {whose} held: {what}. "
            "Next: go on with --resume"
        )


def _check_unchanged(told: list[_Told]) -> None:
    """Check that survivors hold the state of the last vote, like the replicas.

    Raises:
        RengaError: It has changed.
    """
    for rank, each in enumerate(told):
        if each.changed:
            raise RengaError(
                f"rank {rank} has changed after the last vote what only it holds ({each.changed[0]}), so replicas do "
                "not fit it: an extension that does not communicate has changed it, or something else outside of an "
                "update. Next: go on with --resume, and change it in the update"
            )


def _of(name: str, state: State) -> State:
    prefix = f"{name}:"
    return {key[len(prefix) :]: value for key, value in state.items() if key.startswith(prefix)}


def _same(some: np.ndarray[Any, Any] | None, other: np.ndarray[Any, Any] | None) -> bool:
    """Whether two arrays are the same, bit for bit."""
    if some is None or other is None:
        return some is other
    if some is other:
        return True
    if some.dtype != other.dtype or some.shape != other.shape:
        return False
    return bool((_bytes(some) == _bytes(other)).all())


def _bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def _updated(state: State, changed: State, gone: list[str]) -> State:
    return {key: value for key, value in {**state, **changed}.items() if key not in gone}
