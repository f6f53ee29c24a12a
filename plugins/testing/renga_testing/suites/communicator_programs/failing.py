"""A rank that fails."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np

from renga_core.backend import get_device
from renga_core.communicator import CommunicatorBase, RankFailed

__all__ = ["fail_on_last_rank", "lose_last_rank"]


def fail_on_last_rank(comm: CommunicatorBase, device: str) -> None:
    """The last rank raises before it takes part; the others must not hang."""
    if comm.rank == comm.size - 1:
        raise RuntimeError("this rank fails on purpose")
    comm.allreduce(get_device(device).send(np.zeros(3, np.float32)))


def lose_last_rank(comm: Any, device: str) -> None:
    """The last rank is killed; the others get an error, recover, and continue as a smaller group.

    Args:
        comm: A resilient communicator, with ``commit`` and ``recover`` of `renga_comm_base.resilience.ResilientBase`.
        device: Where to compute.
    """
    for method in (
        "commit",
        "recover",
    ):  # before the rank dies: ranks of another communicator may be threads of one process
        assert hasattr(comm, method), f"{type(comm).__qualname__} is not a ResilientBase: it has no {method}"
    rank, size = comm.rank, comm.size
    if rank == size - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    one = get_device(device).send(np.ones(3, np.float32))
    try:
        comm.allreduce(one)
        comm.commit()
    except RankFailed:
        change = comm.recover()
    else:
        raise AssertionError("a rank has died, but commit returns")
    assert change.lost == (size - 1,), f"rank {size - 1} has died, but recover returns {change}"
    assert change.previous == tuple(range(size - 1)), (
        f"the other ranks must keep their order, but recover returns {change}"
    )
    assert (comm.rank, comm.size) == (rank, size - 1), f"rank {rank} of {size} is now {comm.rank} of {comm.size}"
    total = float(comm.allreduce(one)[0])
    assert total == size - 1, f"the sum of ones of {size - 1} ranks is {total}"
    comm.commit()
