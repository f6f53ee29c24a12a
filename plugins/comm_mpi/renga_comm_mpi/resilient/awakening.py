"""How dormant processes learn, before there is a group, whether there will be one.

They cannot take part in collectives for so long: nobody knows how long a program works before it makes its group. Nor
would the end of MPI do: there, Open MPI with ULFM waits for all processes.
"""

from __future__ import annotations

from contextlib import suppress

from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.resilient.told import Told

__all__ = ["Listener", "tell"]

_BEGINS, _ENDS = 1, 2

_told = False


def tell(how: Told, begins: bool) -> None:
    """Tell all dormant processes that this one makes the group, or ends without having made it; the first call counts.

    Args:
        how: How the job was started.
        begins: Which.
    """
    global _told
    if _told or MPI.Is_finalized():
        return
    _told = True
    for rank in range(how.first_dormant, MPI.COMM_WORLD.size):
        with suppress(MPI.Exception):  # that one has died
            MPI.COMM_WORLD.send(b"", rank, _BEGINS if begins else _ENDS)


class Listener:
    """What a dormant process hears from the others.

    Args:
        how: How the job was started.
    """

    def __init__(self, how: Told) -> None:
        self._awake = set(range(how.first_dormant))
        self._gone: set[int] = set()

    def begins(self) -> bool:
        """Whether others make the group."""
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
        """Whether nobody is left who could make it."""
        return self._awake <= self._gone
