"""The communicator `flat`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from renga_comm_mpi.base import MpiCommunicator
from renga_comm_mpi.sums import message_sum

__all__ = ["FlatCommunicator"]


class FlatCommunicator(MpiCommunicator):
    """Messages between all ranks, and all gradients in one block."""

    name: ClassVar[str] = "flat"
    default_config: ClassVar[Mapping[str, Any]] = {**MpiCommunicator.default_config, "bucket_bytes": None}

    def _sum(self, flat: Any, divide_by: int) -> Any:
        return message_sum(self._calls, flat, divide_by)
