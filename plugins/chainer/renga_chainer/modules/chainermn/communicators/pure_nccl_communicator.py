"""``chainermn.communicators.pure_nccl_communicator``."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import RengaPluginError, registry

__all__ = ["PureNcclCommunicator"]


class _WithoutNccl(CommunicatorBase):
    """Stand-in for `isinstance` without NCCL. It has no instances: creating one raises RuntimeError."""

    def __new__(cls, mpi_comm: Any = None) -> _WithoutNccl:
        """Raise RuntimeError."""
        raise RuntimeError(
            "PureNcclCommunicator needs CuPy, a GPU and NCCL, and one of them is missing (`renga doctor` says which). "
            "Next: use FlatCommunicator, or create_communicator('pure_nccl'), which then returns 'flat'; arrays of "
            "GPUs are copied through the host"
        )


def _find() -> Any:
    try:
        return registry(COMMUNICATOR).load("pure_nccl", origin="chainermn.communicators", probe=True)
    except RengaPluginError:
        return _WithoutNccl


PureNcclCommunicator = _find()
