"""The communicators `naive` and `flat`, which treat all ranks alike, with messages between all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from renga_comm_mpi.base import MpiCommunicator
from renga_comm_mpi.sums import half_sum, message_share, message_sum

__all__ = ["FlatCommunicator", "MessagesCommunicator", "NaiveCommunicator"]


class MessagesCommunicator(MpiCommunicator):
    """The base class of both."""

    def _sum(self, flat: Any, divide_by: int, wire: str | None = None, scale: float = 1.0, into: Any = None) -> Any:
        if wire is not None:
            return half_sum(self._calls, flat, wire, scale, divide_by, into)
        return message_sum(self._calls, flat, divide_by, into)

    def _share_of_sum(self, flat: Any) -> Any:
        begin, end = self.share(len(flat))
        into = np.empty(end - begin, flat.dtype)
        message_share(self._calls, flat, 1, into)
        return into


class NaiveCommunicator(MessagesCommunicator):
    """Messages between all ranks, one gradient at a time: for debugging and as a reference."""

    name: ClassVar[str] = "naive"
    default_config: ClassVar[Mapping[str, Any]] = {**MpiCommunicator.default_config, "bucket_bytes": 0}


class FlatCommunicator(MessagesCommunicator):
    """Messages between all ranks, all gradients in one block."""

    name: ClassVar[str] = "flat"
    default_config: ClassVar[Mapping[str, Any]] = {**MpiCommunicator.default_config, "bucket_bytes": None}
