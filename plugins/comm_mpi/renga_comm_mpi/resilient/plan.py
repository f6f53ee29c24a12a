"""The plan of a new group, on which all processes of a job agree: its members and its MPI communicators."""

from __future__ import annotations

from typing import NamedTuple

from renga_comm_base.members import Arrangement, Member, Role, arrange, to_call
from renga_comm_base.places import Places
from renga_comm_base.resilience import RanksLost
from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.resilient.exchange import exchange
from renga_comm_mpi.resilient.family import tells_of_loss
from renga_comm_mpi.resilient.told import Told

__all__ = ["Plan", "begin"]

_GROUPS = 3
"""MPI communicators of the group: for messages and votes, for collectives, and for the watchdog."""


class Plan(NamedTuple):
    """A new group, which fails if another process dies.

    Attributes:
        members: All processes that are alive, in the order of the root.
        arrangement: The members of the group; None: the job is over.
        called: Indices of members that must start their program.
        comms: MPI communicators of the group; null on other processes.
        staying: The root without the processes that leave; null on these. If none leaves, the root itself.
        places: Number of places of the new group.
    """

    members: list[Member]
    arrangement: Arrangement | None
    called: tuple[int, ...]
    comms: list[MPI.Comm]
    staying: MPI.Comm
    places: Places


def begin(root: MPI.Comm, own: Member, told: Told) -> Plan | None:
    """Exchange descriptions, and begin a new group; return None if a process dies meanwhile. Collective.

    Args:
        root: All processes that are alive.
        own: Description of this process.
        told: Settings of the job.
    """
    comms: list[MPI.Comm] = []
    try:
        members: list[Member] = exchange(root, own)
        places = next((one.places for one in members if one.has_state), own.places)
        if most := told.most:
            places = places.with_requests(max(one.requests for one in members), most)
        new = arrange(members, places.total, shrinks=most > 0)
        if new is None:
            return Plan(members, None, (), [], root, places)
        if most:
            coming = [one.grows for one in members if one.role in (Role.DORMANT, Role.STARTING)]
            growing, others = coming.count(True), coming.count(False) + len(new.waiting)
            places = places.with_ranks(len(new.order), len(new.change.left), growing, others)
        called = to_call(members, new, places)
        position = new.order.index(root.rank) if root.rank in new.order else None
        for _ in range(_GROUPS):
            comms.append(root.Split(MPI.UNDEFINED if position is None else 0, position or 0))
        if not new.change.left:
            return Plan(members, new, called, comms, root, places)
        leaves = own.role == Role.LEAVING and position is None
        return Plan(members, new, called, comms, root.Split(MPI.UNDEFINED if leaves else 0, root.rank), places)
    except Exception as error:
        if not (isinstance(error, RanksLost) or tells_of_loss(error, [root])):
            raise
        for comm in comms:
            if comm != MPI.COMM_NULL:
                comm.Revoke()
        return None
