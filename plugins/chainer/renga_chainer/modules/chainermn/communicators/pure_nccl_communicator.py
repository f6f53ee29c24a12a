"""``chainermn.communicators.pure_nccl_communicator``."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import RengaPluginError, registry

__all__ = ["PureNcclCommunicator"]


class _WithoutNccl(CommunicatorBase):
    """For `isinstance`, where NCCL cannot be used: no communicator is one. To make one raises RuntimeError."""

    def __new__(cls, mpi_comm: Any = None) -> _WithoutNccl:
        """Raise RuntimeError."""
        raise RuntimeError(
            "PureNcclCommunicator needs CuPy, a GPU and NCCL, which are not all here (`renga doctor` says why). "
            "Next: FlatCommunicator, or create_communicator('pure_nccl'), which takes 'flat' in its place; arrays of "
            "GPUs go by way of the host"
        )


def _find() -> Any:
    try:
        return registry(COMMUNICATOR).load("pure_nccl", origin="chainermn.communicators", probe=True)
    except RengaPluginError:
        return _WithoutNccl


PureNcclCommunicator = _find()
