"""`MultiNodeChainList`: a model whose parts are on several ranks."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.graph import Variable
from renga_core.link import ChainList, Link
from renga_distributed.functions import pseudo_connect, send
from renga_distributed.functions.point_to_point import receive

__all__ = ["MultiNodeChainList"]


class MultiNodeChainList(ChainList):
    """One rank's links of a model on several ranks, each with the ranks it receives from and sends to.

    On rank 0, whose first part sends to rank 1, and whose second part receives the result::

        class Model0(MultiNodeChainList):
            def __init__(self, comm):
                super().__init__(comm)
                self.add_link(MLP(784, 100), rank_in=None, rank_out=1)
                self.add_link(MLP(50, 10), rank_in=1, rank_out=None)

    and on rank 1::

        class Model1(MultiNodeChainList):
            def __init__(self, comm):
                super().__init__(comm)
                self.add_link(MLP(100, 50), rank_in=0, rank_out=0)

    Links run in the order in which they were added, and a rank receives in the order in which another one sends. So add
    the links such that every receiver's sender comes earlier.

    Every rank calls ``backward`` on the result of its model, or on a loss computed from it; it reaches all messages, in
    the reverse order. It cannot be differentiated again; use `functions` for models that need this.

    Args:
        comm: Between the ranks.
    """

    spans_ranks = True
    """For `renga_distributed.recovery`: this is a part of a model that other ranks do not have."""

    def __init__(self, comm: CommunicatorBase) -> None:
        super().__init__()
        self._comm = comm
        self._ranks: list[tuple[list[int] | None, list[int] | None]] = []

    def add_link(
        self, link: Link, rank_in: int | Sequence[int] | None = None, rank_out: int | Sequence[int] | None = None
    ) -> None:
        """Add a link.

        Args:
            link: The link. Its result, a Variable or a tuple of Variables, is sent.
            rank_in: The rank that its input is received from. Several: it is called with one argument for each, in this
                order. An argument is a tuple if a tuple was sent. This rank itself: the result that an earlier link of
                this list has sent to it. None: the arguments of the model.
            rank_out: The ranks that get its whole output. None: the model returns it.

        Raises:
            ValueError: A rank does not exist; or the output of another link is returned already.
        """
        ranks = (self._listed("rank_in", rank_in), self._listed("rank_out", rank_out))
        if ranks[1] is None and any(rank_out is None for _, rank_out in self._ranks):
            raise ValueError(
                "a MultiNodeChainList returns the output of only one link, and a link with rank_out=None already "
                "exists; set rank_out of this link"
            )
        super().add_link(link)
        self._ranks.append(ranks)

    def _listed(self, name: str, ranks: int | Sequence[int] | None) -> list[int] | None:
        if ranks is None:
            return None
        listed = [ranks] if isinstance(ranks, int) else list(ranks)
        if not listed or not all(0 <= rank < self._comm.size for rank in listed):
            raise ValueError(f"{name} is {ranks!r}, but must be None, or ranks from 0 to {self._comm.size - 1}")
        return listed

    def forward(self, *inputs: Any) -> Any:
        """Compute this rank's part.

        Returns:
            The result of the link with ``rank_out=None``; if there is none, an empty delegate variable: call
            ``backward`` on it.

        Raises:
            ValueError: There are no links; or something that this rank sends to itself is not received, or not sent.
        """
        if not self._ranks:
            raise ValueError("a MultiNodeChainList without links computes nothing. Next: add links with add_link()")
        result = None
        delegates: list[Variable] = []
        kept: deque[Any] = deque()
        for link, (rank_in, rank_out) in zip(self, self._ranks, strict=True):
            xs = inputs if rank_in is None else [self._receive(rank, kept, delegates) for rank in rank_in]
            y = link(*xs)
            if rank_out is None:
                result = y
            for rank in rank_out or ():
                if rank == self._comm.rank:
                    kept.append(y)
                else:
                    delegates.append(send(y, self._comm, rank))
        if kept:
            raise ValueError(
                f"{len(kept)} outputs that rank {self._comm.rank} sent to itself were received by none of its links: "
                "its rank_out and rank_in do not fit together"
            )
        return _tied(result, delegates)

    def _receive(self, rank: int, kept: deque[Any], delegates: list[Variable]) -> Any:
        if rank != self._comm.rank:
            ys, delegate = receive(self._comm, rank)
            delegates.append(delegate)
            return ys if len(ys) > 1 else ys[0]
        if not kept:
            raise ValueError(
                f"a link receives from its own rank {rank}, but no output of an earlier link is left for it"
            )
        return kept.popleft()


def _tied(result: Any, delegates: Sequence[Variable]) -> Any:
    """The result, made dependent on all messages; without a result, an empty variable that depends on them."""
    if not delegates:
        return result
    first, *others = delegates
    for other in others:
        (first,) = pseudo_connect(other, first)
    if result is None:
        return first
    if isinstance(result, (tuple, list)):
        return pseudo_connect(first, *result)
    return pseudo_connect(first, result)[0]
