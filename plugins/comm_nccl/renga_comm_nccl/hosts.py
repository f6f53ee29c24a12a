"""How the hosts of the ranks talk to each other: by MPI, or by TCP where there is none.

NCCL moves arrays of devices. All else goes from host to host: ids of NCCL's communicators, objects, arrays of the host,
and the agreement that all ranks call the same. Any other communicator can do it.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

from renga_comm_nccl.tcp.address import RANK, variables_of_a_rank
from renga_core.communicator import CommunicatorBase
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import registry

__all__ = ["host_communicator"]


def host_communicator(mpi_comm: Any = None) -> CommunicatorBase:
    """The communicator of the hosts: every rank makes one.

    Args:
        mpi_comm: The group, an ``mpi4py.MPI.Comm``; None: all ranks that were started together: by TCP if
            ``RENGA_RANK`` is set, as the launcher ``local`` does, otherwise by MPI, if it is installed.

    Raises:
        ValueError: `mpi_comm` is given, and ``RENGA_RANK`` is set.
    """
    by_tcp = variables_of_a_rank()
    if by_tcp and mpi_comm is not None:
        raise ValueError(
            f"mpi_comm was given, and {RANK}={os.environ[RANK]} says that ranks are connected by TCP. "
            f"Next: start them by mpiexec, without {RANK}, or leave out mpi_comm"
        )
    if by_tcp or (mpi_comm is None and importlib.util.find_spec("mpi4py") is None):
        from renga_comm_nccl.tcp.communicator import TcpCommunicator

        return TcpCommunicator()
    make = registry(COMMUNICATOR).load("mpi:flat", origin="communicator of NCCL", probe=True)
    made: CommunicatorBase = make() if mpi_comm is None else make(mpi_comm)
    return made
