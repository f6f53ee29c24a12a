"""``chainermn.communicators.dummy_communicator``."""

from __future__ import annotations

from typing import Any, ClassVar

from renga_chainer.modules.chainermn.communicators.mpi_communicator_base import MpiCommunicatorBase

__all__ = ["DummyCommunicator"]


class DummyCommunicator(MpiCommunicatorBase):
    """A communicator that exchanges no gradients, to measure the rest of a step."""

    name: ClassVar[str] = "dummy"

    def multi_node_mean_grad(self, model: Any, zero_fill: bool = False) -> None:
        """Leave gradients unchanged; with `zero_fill`, set missing ones to zero."""
        for param in model.params():
            if zero_fill and param.is_initialized and param.grad is None:
                param.zerograd()
