"""Small networks for simulated ranks."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_core.reporter import report
from renga_distributed.links import MultiNodeBatchNormalization, MultiNodeChainList
from renga_distributed.simulation.modes import Mode
from renga_nn import functions as F
from renga_nn import links as L

__all__ = ["Model", "Stage"]


class Model(Chain):
    """Two layers, the first of which may be recurrent, with normalization or dropout between them.

    Args:
        mode: Selects its layers.
        comm: Communicator for synchronized batch normalization.
    """

    def __init__(self, mode: Mode, comm: CommunicatorBase) -> None:
        super().__init__()
        self._dropout = mode.dropout
        with self.init_scope():
            self.l1 = L.LSTM(3, 3) if mode.recurrent else L.Linear(3, 3)
            self.l2 = L.Linear(3, 1)
            if mode.normalization == "own":
                self.bn = L.BatchNormalization(3)
            elif mode.normalization:
                self.bn = MultiNodeBatchNormalization(3, comm)

    def forward(self, x: Any, t: Any) -> Variable:
        """The loss, which is reported."""
        h = self.l1(x)
        if hasattr(self, "bn"):
            h = self.bn(h)
        if self._dropout:
            h = F.dropout(h, 0.3)
        loss = F.mean_squared_error(self.l2(h), t)
        report({"loss": loss}, self)
        return loss

    def forget(self) -> None:
        """Begin new sequences."""
        if isinstance(self.l1, L.LSTM):
            self.l1.reset_state()

    def unchain(self) -> None:
        """Cut the graph of the batches so far."""
        if isinstance(self.l1, L.LSTM) and self.l1.h is not None and self.l1.c is not None:
            self.l1.h.unchain_backward()
            self.l1.c.unchain_backward()


class Stage(MultiNodeChainList):
    """One layer of a network with one layer on each rank; the last rank computes the loss.

    Args:
        mode: Selects dropout.
        comm: Communicator between the stages.
    """

    def __init__(self, mode: Mode, comm: CommunicatorBase) -> None:
        super().__init__(comm)
        self._dropout, self._last = mode.dropout, comm.rank == comm.size - 1
        self.add_link(
            L.Linear(3, 1 if self._last else 3),
            rank_in=comm.rank - 1 if comm.rank else None,
            rank_out=None if self._last else comm.rank + 1,
        )

    def forward(self, x: Any, t: Any) -> Any:
        """The loss, or on the other ranks a delegate variable."""
        y = super().forward(F.dropout(Variable(x), 0.3) if self._dropout and self._comm.rank == 0 else x)
        if not self._last:
            return y
        loss = F.mean_squared_error(y, t)
        report({"loss": loss}, self)
        return loss
