"""Which ranks share a machine."""

from __future__ import annotations

from typing import NamedTuple

from renga_comm_mpi.mpi import MPI
from renga_core.settings import lookup

__all__ = ["Placement", "find_placement", "node_of_this_process"]


class Placement(NamedTuple):
    """The machine of a rank, and its number there. Machines are ordered by their lowest rank.

    Attributes:
        intra_rank: Its number on its machine.
        intra_size: Number of the group's ranks on its machine.
        inter_rank: The number of its machine.
        inter_size: Number of machines of the group.
    """

    intra_rank: int
    intra_size: int
    inter_rank: int
    inter_size: int


def node_of_this_process() -> str:
    """Return the identity of this machine: the host name.

    The setting ``distributed.ranks_per_node`` (``RENGA_RANKS_PER_NODE``) overrides it: each run of this many
    consecutive processes counts as one machine.
    """
    pretended = lookup("distributed.ranks_per_node").value
    if pretended is not None:
        return f"pretended {MPI.COMM_WORLD.Get_rank() // pretended}"
    return MPI.Get_processor_name()


def find_placement(nodes: list[bytes], rank: int) -> Placement:
    """Return the place of `rank`, given the result of `node_of_this_process` on each rank of the group."""
    distinct = list(dict.fromkeys(nodes))
    node = nodes[rank]
    return Placement(nodes[:rank].count(node), nodes.count(node), distinct.index(node), len(distinct))
