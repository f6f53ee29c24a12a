"""Numbers of ranks and nodes, for a communicator that knows on which node each rank is."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence

from renga_comm_base.communicator import Communicator

__all__ = ["OnNodes"]


class OnNodes(Communicator):
    """A communicator whose ranks within and between nodes are computed from the node of each rank."""

    @property
    @abstractmethod
    def _nodes(self) -> Sequence[Hashable]:
        """The node of each rank."""

    @property
    def intra_rank(self) -> int:  # noqa: D102
        return list(self._nodes[: self.rank]).count(self._nodes[self.rank])

    @property
    def intra_size(self) -> int:  # noqa: D102
        return list(self._nodes).count(self._nodes[self.rank])

    @property
    def inter_rank(self) -> int:  # noqa: D102
        return list(dict.fromkeys(self._nodes)).index(self._nodes[self.rank])

    @property
    def inter_size(self) -> int:  # noqa: D102
        return len(set(self._nodes))
