"""Memory that the ranks of one machine share."""

from __future__ import annotations

import mmap
import os
import pickle
import secrets
from contextlib import suppress
from typing import Any

import numpy as np

from renga_comm_mpi.calls import Calls
from renga_comm_mpi.mpi import MPI

__all__ = ["share_memory"]

_TOKEN = 16


def share_memory(calls: Calls, size: int) -> Any:
    """Return `size` bytes that are the same memory on all ranks of a group, or, on all of them, None.

    It is None where ranks have the same host name, but cannot see each other's memory, as those in two containers.

    It is memory without a name (``memfd_create``), so nothing is left behind, however ranks end, and the size of
    ``/dev/shm`` is no limit. MPI's own windows of shared memory are not used: Open MPI's print a complaint on machines
    without a fast network.
    """
    descriptor, message = -1, b""
    if calls.rank == 0:
        token = secrets.token_bytes(_TOKEN)
        with suppress(OSError):
            descriptor = os.memfd_create("renga")
            os.truncate(descriptor, _TOKEN + size)
            os.pwrite(descriptor, token, 0)
        message = pickle.dumps((f"/proc/{os.getpid()}/fd/{descriptor}", token))
    path, token = pickle.loads(calls.bcast_message(message, 0))
    memory = None
    with suppress(OSError, ValueError):
        if calls.rank != 0:
            descriptor = os.open(path, os.O_RDWR)
        # The same path can be another process's file, in another container.
        if os.pread(descriptor, _TOKEN, 0) == token:
            memory = np.frombuffer(mmap.mmap(descriptor, _TOKEN + size), np.uint8)[_TOKEN:]
    everybody = np.empty(1, np.int32)
    calls("Allreduce", np.array([memory is not None], np.int32), everybody, MPI.MIN)
    if descriptor >= 0:
        os.close(descriptor)  # by now all have opened it
    return memory if everybody[0] else None
