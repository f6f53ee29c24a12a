"""Communicators that know which ranks share a machine."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from renga_comm_mpi.base import MpiCommunicator
from renga_comm_mpi.calls import Calls
from renga_comm_mpi.mpi import MPI
from renga_comm_mpi.node_sum import NodeSum
from renga_comm_mpi.sums import SMALL, everybody, half_sum, message_sum, ordered_sum, shares

__all__ = [
    "HierarchicalCommunicator",
    "NonCudaAwareCommunicator",
    "SingleNodeCommunicator",
    "TwoDimensionalCommunicator",
]


class _AcrossNodes(MpiCommunicator):
    """Sums inside each machine through shared memory, then sums these results between machines by messages.

    Between machines, an array is divided into segments, one for each *lane*; a lane is one rank of each machine.
    Subclasses choose the number of lanes.

    Inside a machine, ``allreduce_grad_dtype`` is ignored: 16 bits would save nothing.
    """

    def __init__(self, mpi_comm: MPI.Comm | None = None, *, patient: bool = False) -> None:
        super().__init__(mpi_comm, patient=patient)
        with self._making():
            self._divide(patient)

    def _divide(self, patient: bool) -> None:
        """Create the groups of ranks for the sums."""
        self._inside = Calls(self._calls.comm.Split(self.inter_rank, self.rank), patient)
        places = self._calls.allgather_ints(self.inter_rank)
        self._members = [[r for r, node in enumerate(places) if node == n] for n in range(self.inter_size)]
        lanes = self._count_lanes(min(map(len, self._members)))
        self._node_sum = NodeSum(self._inside, lanes)
        self._shares_memory = bool(min(self._calls.allgather_ints(int(self._node_sum.usable))))
        if not self._shares_memory:  # then ranks are summed in global order
            self._members = [[rank] for rank in range(self.size)]
        self._rounds = self.inter_size > 1 or not self._shares_memory
        lane = self.intra_rank if self.intra_rank < lanes else MPI.UNDEFINED
        between = self._calls.comm.Split(lane, self.inter_rank)
        self._between = None if between == MPI.COMM_NULL else Calls(between, patient, crosses=self.inter_size > 1)
        self._lanes = lanes

    def _count_lanes(self, smallest: int) -> int:
        """Return how many ranks of each machine send to others; each machine has at least `smallest`."""
        return smallest

    def _sum(self, flat: Any, divide_by: int, wire: str | None = None, scale: float = 1.0, into: Any = None) -> Any:
        crosses = self.inter_size > 1
        if not self._shares_memory:
            if wire is not None:
                return half_sum(self._calls, flat, wire, scale, divide_by, into)
            return message_sum(self._calls, flat, divide_by, into)
        total = np.empty_like(flat) if into is None else into
        if self.size * flat.nbytes <= SMALL and not (wire and crosses):
            given = everybody(self._calls, flat)
            sums = [ordered_sum([given[rank] for rank in node], 1, np.empty_like(flat)) for node in self._members]
            return ordered_sum(sums, divide_by, total)
        segments = shares(len(flat), self._lanes)
        self._node_sum.reduce(flat, total, segments, 1 if crosses else divide_by)
        if crosses and self._between is not None:
            mine = total[segments[self.intra_rank]]
            if wire is not None:
                half_sum(self._between, mine, wire, scale, divide_by, mine)
            else:
                message_sum(self._between, mine, divide_by, mine)
        self._node_sum.spread(total, segments)
        return total

    def finalize(self) -> None:
        if not MPI.Is_finalized():
            for calls in (self._inside, self._between):
                if calls is not None and calls.comm != MPI.COMM_NULL:
                    calls.comm.Free()
        super().finalize()


class HierarchicalCommunicator(_AcrossNodes):
    """Shared memory inside a machine; between machines one rank of each sends.

    For machines with one network connection that one rank can fill.
    """

    name: ClassVar[str] = "hierarchical"

    def _count_lanes(self, smallest: int) -> int:
        return smallest if self.inter_size == 1 else 1


class TwoDimensionalCommunicator(_AcrossNodes):
    """Shared memory inside a machine; between machines every rank sends its part.

    For networks that one rank alone cannot fill. If machines have different numbers of ranks, each uses as many senders
    as the smallest machine has ranks.
    """

    name: ClassVar[str] = "two_dimensional"


class SingleNodeCommunicator(_AcrossNodes):
    """Shared memory inside one machine.

    Raises:
        ValueError: The ranks are on several machines; on every rank.
    """

    name: ClassVar[str] = "single_node"

    def __init__(self, mpi_comm: MPI.Comm | None = None, *, patient: bool = False) -> None:
        super().__init__(mpi_comm, patient=patient)
        if self.inter_size > 1:
            self.finalize()
            raise ValueError(
                f"communicator 'single_node': the {self.size} ranks are on {self.inter_size} machines. "
                "Next: 'hierarchical' or 'two_dimensional'"
            )


class NonCudaAwareCommunicator(HierarchicalCommunicator):
    """Alias of `hierarchical`: ChainerMN's name for an MPI that cannot read GPU memory.

    All communicators of this plugin copy GPU arrays through the host, so the speed is the same.
    """

    name: ClassVar[str] = "non_cuda_aware"
