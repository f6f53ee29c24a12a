"""The processes by whose ranks messages and the watchdog call a process: those of ``COMM_WORLD``, unless ranks die.

A resilient group numbers its ranks anew when some have died, and may have processes of which ``COMM_WORLD`` knows
nothing. Then that group is the world.
"""

from __future__ import annotations

from renga_comm_mpi.mpi import MPI

__all__ = ["ranks_in_world", "set_world", "world"]

_world: MPI.Comm = MPI.COMM_WORLD


def world() -> MPI.Comm:
    """Return the present world; only its rank, its size and its group may be used."""
    return _world


def set_world(comm: MPI.Comm) -> None:
    """Have `world` return this one."""
    global _world
    _world = comm


def ranks_in_world(comm: MPI.Comm) -> tuple[int, ...]:
    """Return the ranks of a group as the world numbers them."""
    return tuple(MPI.Group.Translate_ranks(comm.Get_group(), None, _world.Get_group()))
