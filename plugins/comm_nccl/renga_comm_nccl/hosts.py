"""Communication between the hosts of the ranks: by MPI, or by TCP without MPI.

NCCL sends device arrays. Everything else goes from host to host: ids of NCCL's communicators, objects, host arrays, and
the check that all ranks call the same collective. Any other communicator can do that.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

from renga_comm_base.launched import launched
from renga_comm_base.resilience import ResilientHost
from renga_comm_nccl.tcp.address import RANK, variables_of_a_rank
from renga_core.communicator import CommunicatorBase
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import registry

__all__ = ["host_communicator", "resilient_host"]


def host_communicator(mpi_comm: Any = None) -> CommunicatorBase:
    """Create the communicator of the hosts. Every rank must call this.

    Args:
        mpi_comm: The group, an ``mpi4py.MPI.Comm``; None: all ranks that were started together, by TCP if
            ``RENGA_RANK`` is set (as the launcher ``local`` does), else by MPI if it is installed.

    Raises:
        ValueError: `mpi_comm` is given although ``RENGA_RANK`` is set.
    """
    by_tcp = variables_of_a_rank()
    if by_tcp and mpi_comm is not None:
        raise ValueError(
            f"mpi_comm was given, but {RANK}={os.environ[RANK]} means that ranks are connected by TCP. "
            f"Next: start them by mpiexec, without {RANK}, or leave out mpi_comm"
        )
    if by_tcp or (mpi_comm is None and importlib.util.find_spec("mpi4py") is None):
        from renga_comm_nccl.tcp.communicator import TcpCommunicator

        return TcpCommunicator()
    make = registry(COMMUNICATOR).load("mpi:flat", origin="communicator of NCCL", probe=True)
    made: CommunicatorBase = make() if mpi_comm is None else make(mpi_comm)
    return made


def resilient_host() -> ResilientHost:
    """Create the communicator of hosts whose ranks may die. Every rank must call this.

    The ranks are connected by TCP, or by MPI with fault tolerance if ``mpiexec`` started this process.

    Raises:
        RengaError: The ranks were started without fault tolerance.
    """
    if variables_of_a_rank() or launched().size == 1:
        from renga_comm_nccl.tcp.resilient.communicator import ResilientTcpCommunicator

        return ResilientTcpCommunicator()
    made = registry(COMMUNICATOR).load("mpi:resilient", origin="communicator of NCCL", probe=True)()
    assert isinstance(made, ResilientHost)
    return made
