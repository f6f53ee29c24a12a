"""A rank that fails."""

from __future__ import annotations

import numpy as np

from renga_core.backend import get_device
from renga_core.communicator import CommunicatorBase

__all__ = ["fail_on_last_rank"]


def fail_on_last_rank(comm: CommunicatorBase, device: str) -> None:
    """The last rank raises before it takes part; the others must not hang."""
    if comm.rank == comm.size - 1:
        raise RuntimeError("this rank fails on purpose")
    comm.allreduce(get_device(device).send(np.zeros(3, np.float32)))
