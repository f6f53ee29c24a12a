"""``chainermn.communicators.dummy_communicator``."""

from __future__ import annotations

from typing import Any, ClassVar

from renga_chainer.modules.chainermn.communicators.mpi_communicator_base import MpiCommunicatorBase

__all__ = ["DummyCommunicator"]


class DummyCommunicator(MpiCommunicatorBase):
    """A communicator that exchanges no gradients, to measure what a step costs without that."""

    name: ClassVar[str] = "dummy"

    def multi_node_mean_grad(self, model: Any, zero_fill: bool = False) -> None:
        """Leave gradients as they are; with `zero_fill`, those that are missing become zero."""
        for param in model.params():
            if zero_fill and param.is_initialized and param.grad is None:
                param.zerograd()
