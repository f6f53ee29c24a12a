"""Tells dormant processes whether there will be a group.

They cannot wait in collectives: a program may work for any time before it creates its group. Nor can they finalize MPI:
Open MPI with ULFM then waits for all processes.
"""

from __future__ import annotations

from contextlib import suppress

from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.resilient.told import Told

__all__ = ["Listener", "tell"]

_BEGINS, _ENDS = 1, 2

_told = False


def tell(how: Told, begins: bool) -> None:
    """Tell all dormant processes that this one creates the group, or ends without it; the first call counts.

    Args:
        how: The settings of the job.
        begins: True: it creates the group.
    """
    global _told
    if _told or MPI.Is_finalized():
        return
    _told = True
    for rank in range(how.first_dormant, MPI.COMM_WORLD.size):
        with suppress(MPI.Exception):  # the process has died
            MPI.COMM_WORLD.send(b"", rank, _BEGINS if begins else _ENDS)


class Listener:
    """The messages that a dormant process gets from the others.

    Args:
        how: The settings of the job.
    """

    def __init__(self, how: Told) -> None:
        self._awake = set(range(how.first_dormant))
        self._gone: set[int] = set()

    def begins(self) -> bool:
        """Whether others create the group."""
        world = MPI.COMM_WORLD
        try:
            while world.Iprobe(MPI.ANY_SOURCE, _ENDS):
                status = MPI.Status()
                world.recv(source=MPI.ANY_SOURCE, tag=_ENDS, status=status)
                self._gone.add(status.source)
            return bool(world.Iprobe(MPI.ANY_SOURCE, _BEGINS))
        except MPI.Exception:
            self._gone |= set(MPI.Group.Translate_ranks(world.Get_failed(), None, world.Get_group()))
            world.Ack_failed()
            return False

    def is_over(self) -> bool:
        """Whether no process is left that could create it."""
        return self._awake <= self._gone
