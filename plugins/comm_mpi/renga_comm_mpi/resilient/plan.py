"""What all processes of a job agree on before there is a new group: who is in it, and its MPI communicators."""

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
    """A new group that may not come to be.

    Attributes:
        members: All that are alive, in the order of the root.
        arrangement: Who is in the group; None: the job is over.
        called: Which of all members are to start their program.
        comms: Its MPI communicators; those of another process are null.
        staying: The root without those that leave; the root itself if nobody does, and null for who does.
        places: How many the new group has.
    """

    members: list[Member]
    arrangement: Arrangement | None
    called: tuple[int, ...]
    comms: list[MPI.Comm]
    staying: MPI.Comm
    places: Places


def begin(root: MPI.Comm, own: Member, told: Told) -> Plan | None:
    """Tell all who this process is, and begin a new group; None if a process dies meanwhile. Collective.

    Args:
        root: All that are alive.
        own: This process.
        told: How the job was started.
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
