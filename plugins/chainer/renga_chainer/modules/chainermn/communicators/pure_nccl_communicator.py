"""``chainermn.communicators.pure_nccl_communicator``."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase

__all__ = ["PureNcclCommunicator"]


class PureNcclCommunicator(CommunicatorBase):
    """For `isinstance`: no communicator of Renga's is one. To make one raises RuntimeError, as without NCCL."""

    def __new__(cls, mpi_comm: Any = None) -> PureNcclCommunicator:
        """Raise RuntimeError."""
        raise RuntimeError(
            "PureNcclCommunicator needs NCCL, which Renga does not use. Next: FlatCommunicator, or "
            "create_communicator('pure_nccl'), which takes 'flat' in its place; arrays of GPUs go by way of the host"
        )
