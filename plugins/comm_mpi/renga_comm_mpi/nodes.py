"""Which ranks share a machine."""

from __future__ import annotations

from typing import NamedTuple

from renga_comm_mpi.mpi import MPI
from renga_core.settings import lookup

__all__ = ["Placement", "find_placement", "node_of_this_process"]


class Placement(NamedTuple):
    """Where a rank of a group stands among machines. Machines are numbered by the lowest rank on them.

    Attributes:
        intra_rank: Its number on its machine.
        intra_size: How many of the group are there.
        inter_rank: The number of its machine.
        inter_size: How many machines the group spans.
    """

    intra_rank: int
    intra_size: int
    inter_rank: int
    inter_size: int


def node_of_this_process() -> str:
    """What processes on one machine have in common: the host's name.

    The setting ``distributed.ranks_per_node`` (``RENGA_RANKS_PER_NODE``) overrides it: as if so many of the processes
    that were started together, in their order, were on a machine.
    """
    pretended = lookup("distributed.ranks_per_node").value
    if pretended is not None:
        return f"pretended {MPI.COMM_WORLD.Get_rank() // pretended}"
    return MPI.Get_processor_name()


def find_placement(nodes: list[bytes], rank: int) -> Placement:
    """Where `rank` stands, given for each rank of the group what `node_of_this_process` returned there."""
    distinct = list(dict.fromkeys(nodes))
    node = nodes[rank]
    return Placement(nodes[:rank].count(node), nodes.count(node), distinct.index(node), len(distinct))
