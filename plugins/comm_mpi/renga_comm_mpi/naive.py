"""The communicator `naive`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from renga_comm_mpi.base import MpiCommunicator
from renga_comm_mpi.sums import message_sum

__all__ = ["NaiveCommunicator"]


class NaiveCommunicator(MpiCommunicator):
    """Messages between all ranks, and one gradient at a time: nothing to tune, for debugging and as a reference."""

    name: ClassVar[str] = "naive"
    default_config: ClassVar[Mapping[str, Any]] = {**MpiCommunicator.default_config, "bucket_bytes": 0}

    def _sum(self, flat: Any, divide_by: int) -> Any:
        return message_sum(self._calls, flat, divide_by)
